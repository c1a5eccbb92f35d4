import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'

/** A machine was taken away: which, and why. */
export type Taken = { readonly claim: string; readonly because: string }

/** What was decided since the last call. */
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
