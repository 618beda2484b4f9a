import type { TextCallFormat } from '../profile-types.ts';
import { dsml } from './dsml.ts';
import { glmXml } from './glm-xml.ts';
import { hermesJson } from './hermes-json.ts';
import { kimi } from './kimi.ts';
import { minimaxXml } from './minimax-xml.ts';
import { qwenXml } from './qwen-xml.ts';
import { toolsList } from './tools-list.ts';
import type { EnvelopeFormat } from './types.ts';

/** Every format a profile can name. */
export const ENVELOPE_FORMATS: Readonly<Record<TextCallFormat, EnvelopeFormat>> = {
  hermes_json: hermesJson,
  tools_list: toolsList,
  qwen_xml: qwenXml,
  glm_xml: glmXml,
  minimax_xml: minimaxXml,
  dsml,
  kimi,
};
