/** The end of a grant, for the dispatcher: once its call has finished nothing can be done in its name. */
export { revokeGrant as endGrant } from '../workspace/grant.ts';
