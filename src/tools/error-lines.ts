import type { ErrorKind } from '../errors.ts';
import type { OfferedList, Tool } from './types.ts';

/** The line the model reads after the message; with `{alt}` a second form for when there is no other tool. */
type Line = string | { readonly with: string; readonly without: string | null };

export const ERROR_LINES: Readonly<Record<ErrorKind, Line>> = {
  invalid_arguments: 'Correct the arguments named above; do not resend them unchanged.',
  truncated_arguments: {
    with: 'Send less per call; for long content use {alt}.',
    without: 'Send less per call.',
  },
  unknown_tool: 'Use one of the names given.',
  repeated_call:
    'This call keeps giving the same result; do something else or say what blocks you.',
  budget_exceeded: 'Finish with what you have.',
  permission_denied: 'Do not seek the same effect another way; heed the note or go on without it.',
  policy_denied: {
    with: 'The rule is named above; use {alt} or go on without it.',
    without: 'The rule is named above; go on without it.',
  },
  gate_closed: 'First do what is named above.',
  completion_refused: 'Do what is named above, then call task_done again.',
  trust_required: 'Only the user can grant this; do not retry.',
  needs_user: 'State your assumption and go on, or stop and say what you need.',
  path_outside: 'Use a path in the workspace, output/ or scratchpad/.',
  path_denied:
    'Off limits for this action; choose another path and do not look for the content elsewhere.',
  not_found: 'Check the name; the nearest ones are listed.',
  already_exists: 'Edit it, or choose another name.',
  wrong_type: { with: 'Use {alt} for this kind of object.', without: null },
  too_large: { with: 'Work on a part, or use {alt}.', without: 'Work on a part.' },
  unsupported_format: { with: 'Use {alt} to process this format.', without: null },
  no_match: 'Read the region again and copy it exactly.',
  ambiguous_match: 'Add surrounding lines, or set replace_all.',
  no_change: 'Nothing was changed; check whether it is already done.',
  placeholder_text: 'Write the full text, with no "rest unchanged" lines.',
  stale_file: 'The change is shown above; repeat only if your edit still fits.',
  version_conflict: 'Read the current version, then repeat.',
  locked: 'Wait for or stop a job, then try once more; do not work around it.',
  command_failed: 'Read the output; change something before running it again.',
  timeout: 'Make it smaller, raise the timeout, or run it in the background.',
  cancelled: 'Cancelled, not a failure of the tool; do not repeat it unasked.',
  skipped: 'Decide again whether it is still needed.',
  interrupted: 'The outcome is unknown; check before repeating.',
  needs_package: 'Install it with python_package, then repeat.',
  unavailable: {
    with: 'Not possible here now; use {alt} or go on without it.',
    without: 'Not possible here now; go on without it.',
  },
  network_error: 'Check the address; retry at most once.',
  address_blocked: 'It may not be reached; do not try other forms of it.',
  subagent_failed: 'Read its last text; change the task before starting it again.',
  invalid_output: 'The tool is faulty; do not rely on this result.',
  tool_execution_error: 'Read the message; try a different way.',
  internal_error: 'Not your fault; do not loop on it.',
};

/** The line for a kind, or null when there is nothing to advise. Never names a tool the session may not use. */
export function errorLine(kind: ErrorKind, tool: Tool | null, offered: OfferedList): string | null {
  const line = ERROR_LINES[kind];
  if (typeof line === 'string') return line;
  const alternative = usableAlternative(tool?.alternatives ?? [], offered);
  return alternative === null ? line.without : line.with.replace('{alt}', alternative);
}

function usableAlternative(names: readonly string[], offered: OfferedList): string | null {
  const searchable = offered.offered.some((tool) => tool.name === 'tool_search');
  for (const name of names) {
    if (offered.offered.some((tool) => tool.name === name)) return name;
    if (searchable && offered.deferred.some((tool) => tool.name === name)) {
      return `${name} (find it with tool_search)`;
    }
  }
  return null;
}
