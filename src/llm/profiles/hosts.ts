/** Which profile fits a host, for compatible endpoints that were given by their address only. */

const HOSTS: readonly (readonly [suffix: string, profile: string])[] = [
  ['api.openai.com', 'openai_chat'],
  ['openai.azure.com', 'azure_chat'],
  ['cognitiveservices.azure.com', 'azure_chat'],
  ['services.ai.azure.com', 'azure_chat'],
  ['openrouter.ai', 'openrouter'],
  ['volces.com', 'doubao'],
  ['bytepluses.com', 'doubao'],
  ['api.deepseek.com', 'deepseek'],
  ['dashscope.aliyuncs.com', 'qwen'],
  ['dashscope-intl.aliyuncs.com', 'qwen'],
  ['dashscope-us.aliyuncs.com', 'qwen'],
  ['api.moonshot.ai', 'moonshot'],
  ['api.moonshot.cn', 'moonshot'],
  ['open.bigmodel.cn', 'zhipu'],
  ['api.z.ai', 'zhipu'],
  ['api.mistral.ai', 'mistral'],
];

export function profileOfHost(host: string): string | undefined {
  const name = host.toLowerCase();
  return HOSTS.find(([suffix]) => name === suffix || name.endsWith(`.${suffix}`))?.[1];
}

/** Loopback, link-local, private and single-label hosts: a machine of one's own. */
export function isLocalHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (name === 'localhost' || /\.(localhost|local|internal|lan|home\.arpa)$/.test(name))
    return true;
  if (name.includes(':')) {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(name)?.[1];
    return mapped === undefined ? /^(::1$|f[cd]|fe[89ab])/.test(name) : isPrivateAddress(mapped);
  }
  return isPrivateAddress(name) || /^[a-z][a-z0-9_-]*$/.test(name);
}

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127\.\d+\.\d+\.\d+$/.test(name)
  );
}

function isPrivateAddress(name: string): boolean {
  return /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)\d+(\.\d+)*$/.test(
    name,
  );
}
