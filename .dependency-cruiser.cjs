// The arrows of docs/architecture.md. A room may import itself, src/errors.ts, src/nearest-name.ts and the rooms named here.
const arrows = {
  config: [],
  llm: [],
  workspace: [],
  session: ['workspace', 'llm/types'],
  permissions: ['workspace'],
  environment: ['workspace'],
  skills: ['tools', 'environment', 'workspace', 'permissions', 'session'],
  mcp: ['tools', 'environment', 'workspace', 'permissions', 'session'],
  tools: ['workspace', 'environment', 'permissions', 'session'],
  data: ['tools', 'environment', 'workspace', 'session'],
  agent: [
    'llm',
    'tools',
    'mcp',
    'skills',
    'data',
    'environment',
    'workspace',
    'permissions',
    'session',
    'config',
    'console/types',
  ],
  console: ['session', 'permissions/types'],
  server: ['agent', 'data', 'session', 'config'],
};

const roomRules = Object.entries(arrows).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `src/${room} may import: ${['errors', ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^src/',
    pathNot: [
      `^src/${room}/`,
      '^src/(errors|nearest-name)\\.ts$',
      ...allowed.map((name) => `^src/${name}(/|\\.ts$)`),
    ],
  },
}));

const only = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src/', pathNot: [...from, '\\.test\\.tsx?$'] },
  to: { path: to },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'errors-imports-nothing',
      severity: 'error',
      from: { path: '^src/(errors|nearest-name)\\.ts$' },
      to: { path: '.' },
    },
    {
      name: 'llm-has-no-packages',
      severity: 'error',
      from: { path: '^src/llm/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
    },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^test/|\\.test\\.tsx?$' },
    },
    ...roomRules,
    only(
      'grants-come-from-the-gate',
      [
        '^src/workspace/',
        '^src/permissions/',
        '^src/agent/(patch|system-grant)',
        '^src/environment/(probe|system-grant)',
      ],
      '^src/workspace/grant\\.ts$',
      'Only the gate and our own starts make grants.',
    ),
    only(
      'one-process-manager',
      ['^src/environment/', '^src/cli/(doctor|trampoline)'],
      '^(node:)?child_process$',
      'Every child is started by src/environment.',
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
