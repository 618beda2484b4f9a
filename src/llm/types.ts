/**
 * The vocabulary of the model layer. Types only: stored or sent data is snake_case, options are camelCase.
 */

export type * from './message-types.ts';
export * from './request-types.ts';
export type * from './transport-types.ts';
