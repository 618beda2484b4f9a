import { eastAsianWidth } from 'get-east-asian-width';

/** Made at the first text that needs them: they cost as much as the rest of the console's start. */
interface Tables {
  readonly segmenter: Intl.Segmenter;
  readonly emoji: RegExp;
  readonly invisible: RegExp;
  readonly hangul: RegExp;
}

let made: Tables | null = null;

function tables(): Tables {
  made ??= {
    segmenter: new Intl.Segmenter(undefined, { granularity: 'grapheme' }),
    emoji: /^(?:\p{RGI_Emoji}|\p{Regional_Indicator}|[\d#*]\ufe0f)/v,
    invisible:
      /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}]$/v,
    hangul: /^\p{Script=Hangul}/v,
  };
  return made;
}

/** The grapheme clusters of a text, in order. */
export function* clustersOf(text: string): Generator<string> {
  for (const { segment } of tables().segmenter.segment(text)) yield segment;
}

/** Columns of one grapheme cluster without a tab: emoji 2, a Hangul syllable as its first part, else all that is seen. */
export function clusterWidth(cluster: string): number {
  const { emoji, invisible, hangul } = tables();
  if (emoji.test(cluster)) return 2;
  let width = 0;
  for (const character of cluster) {
    if (invisible.test(character)) continue;
    width += eastAsianWidth(character.codePointAt(0) ?? 0);
    if (hangul.test(cluster)) break;
  }
  return width;
}
