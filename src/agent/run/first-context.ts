import { environmentBlock, readGitHead } from '../environment-block.ts';
import { foldersDown, INSTRUCTIONS_HEADER } from '../instructions/instruction-files.ts';
import { TextReader } from '../instructions/text-reader.ts';
import type { OpenSession } from '../open/open-session.ts';
import type { NewTaskContext } from '../types.ts';

/** What the first message of a conversation tells the model; later tasks are the bare text. */
export async function newTaskContext(session: OpenSession): Promise<NewTaskContext> {
  const projectPath = session.tools.environment.mapIn(session.workspace);
  if (session.conversation.messages.length > 0)
    return { environment: '', instructions: null, skills: null, projectPath, firstTask: false };
  const [head, instructions] = await Promise.all([
    session.repository === null ? null : readGitHead(session.repository),
    readInstructions(session),
  ]);
  const environment = environmentBlock({
    workspace: projectPath,
    repository: session.repository,
    head,
    sandbox: session.sandbox.kind,
    network: session.network,
    mode: session.tools.policy.mode,
    sessionPrefixes: session.tools.resolver.sessionPrefixes,
    date: session.clock.date(),
  });
  session.place.environment = environment;
  return { environment, instructions, skills: null, projectPath, firstTask: true };
}

/** Instruction files of the user, then from the top of the repository down to the workspace. */
async function readInstructions(session: OpenSession): Promise<string | null> {
  const { instructions, instructionReader, workspace, files } = session;
  const own = new TextReader(files.paths.home);
  const parts: (string | null)[] = [];
  try {
    parts.push(await instructions.named(own, 'AGENTS.md'));
  } finally {
    own.close();
  }
  for (const folder of foldersDown(instructionReader.folder, workspace))
    parts.push(await instructions.folder(instructionReader, folder));
  const texts = parts.filter((part) => part !== null);
  return texts.length === 0 ? null : [INSTRUCTIONS_HEADER, ...texts].join('\n\n');
}
