/** The vendors' profiles: what each one does unlike the default of its protocol. */
import type { Profile, ProfilePatch } from '../profile-types.ts';
import type { Protocol } from '../types.ts';
import { defaultProfile, patchProfile } from './defaults.ts';

interface Row extends ProfilePatch {
  readonly protocol: Protocol;
}

const OPENAI: ProfilePatch = {
  baseUrl: 'https://api.openai.com/v1',
  keyEnv: ['OPENAI_API_KEY'],
  systemRole: 'developer',
  schemaDialect: 'openai_strict',
  strictTools: true,
  cache: { kind: 'key' },
};

const OPENAI_CHAT: ProfilePatch = { ...OPENAI, tokenField: 'max_completion_tokens' };

const AZURE: ProfilePatch = {
  baseUrl: null,
  keyEnv: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'],
  auth: { kind: 'header', name: 'api-key' },
};

const TEXT_CALLS = ['hermes_json', 'qwen_xml'] as const;

/** Servers that run a model on one's own machine, behind a chat template. */
const LOCAL_SERVER: ProfilePatch = {
  auth: { required: false },
  local: true,
  schemaDialect: 'portable',
  alternate: true,
  reasoning: { read: ['reasoning', 'reasoning_content'], style: 'none', tags: true },
  textCalls: ['hermes_json', 'qwen_xml', 'tools_list', 'minimax_xml', 'kimi'],
  missingClosers: true,
};

const ROWS: Readonly<Record<string, Row>> = {
  openai: { protocol: 'responses', ...OPENAI },
  openai_chat: { protocol: 'chat', ...OPENAI_CHAT },
  azure: { protocol: 'responses', ...OPENAI, ...AZURE },
  azure_chat: { protocol: 'chat', ...OPENAI_CHAT, ...AZURE },
  anthropic: {
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keyEnv: ['ANTHROPIC_API_KEY'],
  },
  openrouter: {
    protocol: 'chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: ['OPENROUTER_API_KEY'],
    reasoning: {
      read: ['reasoning', 'reasoning_details'],
      send: 'reasoning_details',
      when: 'always',
      style: 'openrouter',
    },
    costField: 'cost',
  },
  doubao: {
    protocol: 'chat',
    baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
    keyEnv: ['DOUBAO_API_KEY', 'ARK_API_KEY'],
    reasoning: {
      style: 'thinking_effort',
      efforts: ['minimal', 'low', 'medium', 'high'],
    },
  },
  deepseek: {
    protocol: 'chat',
    baseUrl: 'https://api.deepseek.com',
    keyEnv: ['DEEPSEEK_API_KEY'],
    samplingWithThinking: false,
    reasoning: {
      read: ['reasoning_content'],
      send: 'reasoning_content',
      when: 'always',
      filler: '.',
      style: 'thinking',
      forcedChoice: 'downgrade',
    },
    textCalls: ['dsml'],
  },
  qwen: {
    protocol: 'chat',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    keyEnv: ['QWEN_API_KEY', 'DASHSCOPE_API_KEY'],
    reasoning: { style: 'enable_thinking' },
    textCalls: TEXT_CALLS,
  },
  moonshot: {
    protocol: 'chat',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyEnv: ['MOONSHOT_API_KEY'],
    idRule: { echo: true },
    reasoning: {
      read: ['reasoning_content'],
      send: 'reasoning_content',
      when: 'tool_turns',
      filler: '.',
      style: 'thinking',
      forcedChoice: 'downgrade',
    },
    textCalls: ['kimi'],
  },
  zhipu: {
    protocol: 'chat',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    keyEnv: ['ZHIPU_API_KEY'],
    reasoning: {
      read: ['reasoning_content'],
      send: 'reasoning_content',
      when: 'always',
      style: 'thinking_kept',
    },
    textCalls: ['glm_xml'],
  },
  mistral: {
    protocol: 'chat',
    baseUrl: 'https://api.mistral.ai/v1',
    keyEnv: ['MISTRAL_API_KEY'],
    idRule: { pattern: '^[A-Za-z0-9]{9}$', max: 9 },
    alternate: true,
    usageOption: false,
    images: { toolResults: 'placeholder' },
    reasoning: { read: [], style: 'none' },
  },
  vllm: { protocol: 'chat', ...LOCAL_SERVER },
  llamacpp: { protocol: 'chat', ...LOCAL_SERVER, dropParams: ['strict'] },
  lmstudio: { protocol: 'chat', ...LOCAL_SERVER },
  litellm: { protocol: 'chat', auth: { required: false }, textCalls: TEXT_CALLS },
  openai_compatible: { protocol: 'chat', auth: { required: false }, textCalls: TEXT_CALLS },
};

export const PROFILE_NAMES: readonly string[] = Object.keys(ROWS);

const built = new Map<string, Profile>();

/** The profile of that name, or undefined. */
export function profileNamed(name: string): Profile | undefined {
  const known = built.get(name);
  if (known !== undefined) return known;
  const row = Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
  if (row === undefined) return undefined;
  const profile = patchProfile(defaultProfile(row.protocol), { ...row, id: name });
  built.set(name, profile);
  return profile;
}
