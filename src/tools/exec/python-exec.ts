import { ToolFailure } from '../../errors.ts';
import type { Tool, ToolSchema } from '../types.ts';
import { timeLimitMs } from './command-result.ts';
import { runPython } from './python-run.ts';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;
const MAX_INPUT_BYTES = 256 * 1024;

const parameters: ToolSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'a program; runs as __main__ in the scratchpad' },
    script_path: { type: 'string', 'x-path': 'exec', description: 'an existing .py file instead' },
    args: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 64,
      description: 'for script_path; output/x and the like become absolute paths',
    },
    input_json: { type: 'string', 'x-json': true, description: 'text for standard input' },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_SECONDS,
      'x-clamp': true,
      description: `default ${DEFAULT_SECONDS}`,
    },
  },
};

/** Runs Python: code given in the call, or a script that exists. Nothing but files passes from call to call. */
export const pythonExecTool: Tool = {
  name: 'python_exec',
  group: 'exec',
  description:
    'Run a Python program or an existing script. Use for analysis of CSV, JSON and JSONL, batch checks, sampling, calculation, and for writing long or heavily quoted files with pathlib, json or csv; deliverables go to output/, temporary files to the scratchpad. Run a script that exists with script_path, not by subprocess. Not for git, builds or system commands: bash. Not for small edits: edit_file. Exactly one of code and script_path; no state is kept between calls except files; no network unless allowed.',
  descriptionZh:
    '运行一段 Python 程序或已有脚本。用于分析 CSV、JSON、JSONL，批量检查、抽样、计算，以及用 pathlib、json、csv 写长文件或引号很多的文件；成果写到 output/，临时文件写到 scratchpad。已有脚本用 script_path 运行，不要用 subprocess。git、构建和系统命令不要用它：用 bash。小改动不要用它：用 edit_file。code 与 script_path 只给一个；各次调用之间除文件外不保留状态；未允许时没有网络。',
  parameters,
  permission: 'python',
  runsIn: 'environment',
  streams: true,
  timeout: { default: DEFAULT_SECONDS, max: MAX_SECONDS },
  alternatives: ['bash'],
  keyAliases: { timeout: 'timeout_seconds', file_path: 'script_path' },
  title: ({ code, script_path }) =>
    typeof script_path === 'string' ? script_path : firstLine(String(code ?? '')),
  preview: ({ code, script_path, args }) =>
    Promise.resolve(
      typeof code === 'string' ? code : [script_path, ...((args as string[]) ?? [])].join(' '),
    ),
  check({ code, script_path, args, input_json }) {
    const fail = (message: string) => new ToolFailure('invalid_arguments', message);
    if ((code === undefined) === (script_path === undefined)) {
      throw fail('give exactly one of code and script_path');
    }
    if (args !== undefined && script_path === undefined) throw fail('args needs script_path');
    if (typeof script_path === 'string' && !script_path.endsWith('.py')) {
      throw fail('script_path must name a .py file');
    }
    if (typeof input_json === 'string' && Buffer.byteLength(input_json) > MAX_INPUT_BYTES) {
      throw fail(`input_json holds more than ${MAX_INPUT_BYTES} bytes; put it into a file`);
    }
    const texts = Array.isArray(args) ? args : [];
    if ([code, ...texts].some((text) => typeof text === 'string' && text.includes('\0'))) {
      throw fail('a NUL character is not allowed');
    }
  },
  run({ code, script_path, args, input_json, timeout_seconds }, ctx) {
    return runPython(
      {
        code: typeof code === 'string' ? code : null,
        scriptPath: typeof script_path === 'string' ? script_path : null,
        args: Array.isArray(args) ? args.map(String) : [],
        input: typeof input_json === 'string' ? input_json : null,
        timeoutMs: timeLimitMs(Number(timeout_seconds ?? DEFAULT_SECONDS), ctx),
      },
      ctx,
    );
  },
};

function firstLine(code: string): string {
  return code.trimStart().split('\n', 1)[0] ?? '';
}
