import type { ToolGroup } from './types.ts';

/** What an agent kind is offered: core tools by name in order, and which groups can be found besides. */
export interface ToolProfile {
  readonly name: string;
  /** Names that do not exist in this program are passed over. */
  readonly core: readonly string[];
  /** Whether a group's other tools are deferred. */
  readonly defers: (group: ToolGroup) => boolean;
}

export const PROFILES: readonly ToolProfile[] = [
  {
    name: 'coding',
    core: [
      'bash',
      'str_replace_based_edit_tool',
      'glob_search',
      'grep_search',
      'sequentialthinking',
      'task_done',
      'Skill',
      'Agent',
      'tool_search',
      'call_tool',
    ],
    defers: (group) => group !== 'data' && group !== 'mcp',
  },
  {
    name: 'data',
    core: [
      'list_dir',
      'read_file',
      'write_file',
      'edit_file',
      'grep_search',
      'python_exec',
      'python_package',
      'ask_user_question',
      'task_done',
      'data_agent_status',
      'Skill',
      'tool_search',
      'call_tool',
    ],
    defers: (group) => group !== 'mcp',
  },
  {
    name: 'explore',
    core: ['read_file', 'list_dir', 'glob_search', 'grep_search', 'ckg', 'LSP'],
    defers: () => false,
  },
];

export function findProfile(name: string): ToolProfile | undefined {
  return PROFILES.find((profile) => profile.name === name);
}
