import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'

/** A machine that was disrupted: the claim and the reason. */
export type Taken = { readonly claim: string; readonly because: string }

/** Returns a function that reports the disruptions and the new claims since its last call. */
export function createDecisions({
  telemetry,
  journal,
}: MemoryWorld): () => { readonly taken: readonly Taken[]; readonly made: readonly string[] } {
  let told = 0
  let written = 0
  return () => {
    const events = telemetry.events.slice(told).filter(({ name }) => name === 'disruption.decision')
    const made = journal.entries.slice(written).filter(({ operation }) => operation === 'api.createClaim')
    told = telemetry.events.length
    written = journal.entries.length
    const taken = events.map(({ fields }) => ({ claim: String(fields['nodeClaim']), because: String(fields['reason']) }))
    return { taken, made: made.map(({ object }) => object.replace('nodeclaim/', '')) }
  }
}
