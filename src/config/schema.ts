/** The JSON Schema of the configuration file, made from the table of keys; editors complete from it. */
import { type ConfigKey, KEY_TREE, type KeyNode } from './keys.ts';

type Schema = Record<string, unknown>;

/** `schemas/config.schema.json` is this value, and a test keeps it so. */
export function configSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Toolwright configuration',
    description: 'toolwright.yaml, trae_config.yaml, config.yaml and policy.yaml',
    ...section(KEY_TREE),
  };
}

function section(node: KeyNode): Schema {
  const properties = Object.fromEntries([...node.members].map(([name, n]) => [name, member(n)]));
  return {
    type: ['object', 'null'],
    ...(node.members.size > 0 ? { properties } : {}),
    additionalProperties: node.any === null ? false : member(node.any),
  };
}

function member(node: KeyNode): Schema {
  return node.key === null ? section(node) : leaf(node.key);
}

const WHO: Readonly<Record<ConfigKey['setBy'], string>> = {
  U: 'User scope only.',
  P: 'A project file sets it once its folder is trusted.',
  T: 'A project file can only make it stricter.',
};

function leaf(key: ConfigKey): Schema {
  const fallback =
    key.default === undefined && key.defaultText !== '-' ? ` Default: ${key.defaultText}.` : '';
  return {
    description: `${key.about}.${fallback} ${WHO[key.setBy]}`,
    ...key.schema,
    ...(key.default === undefined ? {} : { default: key.default }),
  };
}
