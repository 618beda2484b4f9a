import type { OpenSession } from './open/open-session.ts';
import { closeSessionFiles } from './open/session-files.ts';

const MOST_MS = 10_000;

/**
 * Ends what a session holds: tools and their processes, environment, model, files. Each part has 10 s; its failure is
 * a `warning`, never a changed result.
 */
export async function closeSession(session: OpenSession): Promise<void> {
  const { tools, files, model, options } = session;
  const problems = (await session.executor?.closeTools()) ?? [];
  for (const message of problems) warn(session, `Closing a tool failed: ${message}.`);
  await part(session, 'the environment', () => tools.environment.stop());
  await part(session, 'what killed runs left', () => session.cleanUp.finish());
  await part(session, 'the model client', async () => model.client.close());
  session.recorder?.close();
  await part(session, 'the console', async () => options.console?.stop());
  session.instructionReader.close();
  tools.access.close();
  await closeSessionFiles(files);
}

async function part(
  session: OpenSession,
  what: string,
  close: () => Promise<unknown>,
): Promise<void> {
  const fault = await Promise.race([
    Promise.resolve()
      .then(close)
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    late(),
  ]);
  if (fault !== null) warn(session, `Closing ${what} failed: ${fault}.`);
}

function warn(session: OpenSession, message: string): void {
  session.files.log.append({ run_id: null }, 'warning', { code: 'cleanup_failed', message });
}

function late(): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve('it did not end within 10 s'), MOST_MS).unref();
  });
}
