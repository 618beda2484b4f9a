/** A schema that cannot be sent. The tool is then not offered; the message says why. */
export class UnsupportedSchema extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedSchema';
  }
}

/** Schemas a conversion may still visit. */
export interface VisitBudget {
  left: number;
}

const MAX_VISITS = 5_000;

export function newBudget(): VisitBudget {
  return { left: MAX_VISITS };
}

/** Alternatives copy what they share, so a small schema can unfold without end: throws when it does. */
export function spend(budget: VisitBudget): void {
  if (--budget.left < 0) throw new UnsupportedSchema('its schema is too large');
}
