import type { LoadedConfig } from '../../config/types.ts';
import { ConfigError } from '../../errors.ts';
import type { JsonObject } from '../../llm/types.ts';
import type { Registry } from '../../tools/registry.ts';
import { AnswerSchema } from '../answer-schema.ts';
import { promptFile } from '../prompts/prompt-file.ts';
import { checkPrice } from '../start-checks.ts';
import type { AgentDefinition, AgentOptions, RunOptions } from '../types.ts';
import { checkNames, checkOutputs } from './checks-before.ts';
import type { SessionModel } from './session-model.ts';
import { runLimits } from './settings.ts';

export interface RunToCheck {
  readonly config: LoadedConfig;
  readonly definition: AgentDefinition;
  readonly registry: Registry;
  readonly workspace: string;
  readonly options: AgentOptions;
  readonly model: SessionModel;
  /** Options of the run the session is opened for. */
  readonly run: RunOptions;
}

/**
 * What is wrong with the first run of a session and can be seen before there is one: limits and prices, names of
 * tools, the answer schema, files to be read or written. Throws ConfigError; creates nothing.
 */
export async function checkRun(asked: RunToCheck): Promise<void> {
  const { config, definition, registry, workspace, options, model, run } = asked;
  const limits = runLimits(config, definition, run.limits, options.limits);
  checkPrice(model.client, limits.max_cost, model.key);
  checkNames(config, definition, registry, workspace, run.toolNames);
  await checkAnswerSchema(answerSchemaOf(options.answerSchema));
  await promptFile(config, definition.type);
  await checkOutputs(options, run);
}

/** Throws ConfigError for what is no object. */
export function answerSchemaOf(schema: unknown): JsonObject | null {
  if (schema === undefined) return null;
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
    return schema as JsonObject;
  throw new ConfigError('The answer schema must be a JSON object (a JSON Schema).');
}

/** A schema no answer can be checked against is found now, not at the end. */
async function checkAnswerSchema(schema: JsonObject | null): Promise<void> {
  if (schema === null) return;
  await new AnswerSchema(schema).check(null).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new ConfigError(
      `The answer schema is not a valid JSON Schema: ${reason}.`,
      {},
      { cause },
    );
  });
}
