import type { AppLine } from '../local/demo/appLine.ts'
import { STAGES, type StageTimes } from '../local/demo/stageTimes.ts'
import { type Spread, spreadOf } from './quantiles.ts'

/** The app's own measures in the order of a pod's way, with the span of each. */
const MEASURES: readonly (readonly [name: string, meaning: string])[] = [
  ['event_to_received_ms', 'watch event -> received by the app'],
  ['event_to_reconcile_ms', 'watch event -> decision starts (batch window)'],
  ['decide_ms', 'snapshot -> decision'],
  ['claim_created_ms', 'snapshot -> NodeClaim made'],
  ['launched_ms', 'NodeClaim made -> Azure took the machine'],
]

export type StageRow = { readonly stage: string; readonly ms: Spread }

/** Keeps the measures that the app writes while a bench runs. */
export interface MeasureBook {
  note(line: AppLine): void
  rows(): readonly StageRow[]
  clear(): void
}

export function createMeasureBook(): MeasureBook {
  const values = new Map<string, number[]>()
  return {
    note({ level, message, fields }) {
      const value = fields['value']
      // No pod waits for a batch without pending pods.
      if (level !== 'measure' || typeof value !== 'number' || fields['pendingPods'] === 0) return
      values.set(message, [...(values.get(message) ?? []), value])
    },
    rows: () => MEASURES.flatMap(([name, meaning]) => (values.has(name) ? [{ stage: meaning, ms: spreadOf(values.get(name) ?? []) }] : [])),
    clear: () => values.clear(),
  }
}

/** Returns the time from the decision of each claim to each later stage, over all claims. */
export function claimRows(times: StageTimes): readonly StageRow[] {
  return STAGES.slice(1).flatMap((stage) => {
    const waits = times.claims().flatMap((claim) => {
      const [from, to] = [times.of(claim).get('decided'), times.of(claim).get(stage)]
      return from === undefined || to === undefined ? [] : [to - from]
    })
    return waits.length === 0 ? [] : [{ stage: `decision -> ${stage}`, ms: spreadOf(waits) }]
  })
}
