/**
 * The floor: the least a program must do for the same work. Streams from a Chat Completions endpoint with node:http,
 * runs each `bash` call (spawned, or in one persistent shell) and each read, sends the results back. No checks, no
 * log, no sandbox. Usage: node floor.mjs URL spawn|shell
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [, , url, mode] = process.argv;
const agent = new Agent({ keepAlive: true });
const tool = (name, key) => ({
  type: 'function',
  function: {
    name,
    description: `Runs ${name}.`,
    parameters: { type: 'object', properties: { [key]: { type: 'string' } }, required: [key] },
  },
});
const tools = [
  tool('bash', 'command'),
  tool('str_replace_based_edit_tool', 'path'),
  tool('task_done', 'summary'),
];
const messages = [
  { role: 'system', content: 'You are a coding agent.' },
  { role: 'user', content: 'Do the steps.' },
];

function post(body) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

async function turn() {
  const response = await post(JSON.stringify({ model: 'bench', stream: true, messages, tools }));
  response.setEncoding('utf8');
  const calls = [];
  let text = '';
  let rest = '';
  for await (const chunk of response) {
    rest += chunk;
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      if (!frame.startsWith('data: {')) continue;
      const delta = JSON.parse(frame.slice(6)).choices[0]?.delta ?? {};
      text += delta.content ?? '';
      for (const part of delta.tool_calls ?? []) {
        calls[part.index] ??= {
          id: part.id,
          type: 'function',
          function: { name: part.function.name, arguments: '' },
        };
        calls[part.index].function.arguments += part.function.arguments;
      }
    }
  }
  return { text, calls };
}

let shell = null;
function inShell(command) {
  shell ??= spawn('bash', ['--noprofile', '--norc'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const mark = '--end--';
  return new Promise((resolve) => {
    let output = '';
    const onData = (chunk) => {
      output += chunk;
      const at = output.indexOf(mark);
      if (at < 0) return;
      shell.stdout.off('data', onData);
      resolve(output.slice(0, at));
    };
    shell.stdout.on('data', onData);
    shell.stdin.write(`${command}\necho ${mark}\n`);
  });
}

function spawned(command) {
  return new Promise((resolve) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-c', command], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', () => resolve(output));
  });
}

function run(call) {
  const args = JSON.parse(call.function.arguments);
  if (call.function.name !== 'bash') return readFileSync(args.path, 'utf8');
  return mode === 'spawn' ? spawned(args.command) : inShell(args.command);
}

for (;;) {
  const { text, calls } = await turn();
  messages.push({ role: 'assistant', content: text, tool_calls: calls });
  if (calls.length === 0 || calls.some((call) => call.function.name === 'task_done')) break;
  for (const call of calls) {
    messages.push({ role: 'tool', tool_call_id: call.id, content: await run(call) });
  }
}
shell?.kill();
agent.destroy();
