const NANO = 1e9;

/** Running sum in whole nano-dollars. One call of unknown price makes the total unknown, never zero. */
export class CostTotal {
  private nano = 0;
  private unknown = false;

  add(usd: number | null): void {
    if (usd === null) this.unknown = true;
    else this.nano += Math.round(usd * NANO);
  }

  /** USD, or null when a part of it is unknown. */
  get usd(): number | null {
    return this.unknown ? null : this.knownUsd;
  }

  /** USD of the calls whose price is known. */
  get knownUsd(): number {
    return this.nano / NANO;
  }
}
