/** What a machine that is being removed waits for, as lines of text. */
import { formatDuration } from '../../../model/duration.ts'
import { formatTimestamp } from '../../../model/timestamp.ts'
import { durationMs, type EpochMs } from '../../../model/units.ts'
import type { Drain, Hold, Removal } from './explanation.ts'

export function drainLines({ leaving, held, ...removal }: Drain): readonly string[] {
  if (held.length > 0) return [...held.map(({ by, pods }) => `  ${named(pods)} held by ${holdText(by)}`), ...deadlineLine(removal)]
  return [leaving.length === 0 ? '  no pod has to leave any more' : `  waits for ${named(leaving)}, which nothing holds`]
}

/** ` since 2026-01-01T00:00:00Z, 5m ago`. Empty if it is not known since when. */
export function sinceText({ since }: Removal = {}, now: EpochMs): string {
  if (since === undefined) return ''
  const age = Math.max(0, Math.floor((now - since) / SECOND_MS)) * SECOND_MS
  return ` since ${formatTimestamp(since)}, ${formatDuration(durationMs(age))} ago`
}

/** When the hold ends in any case. Empty if it does not. */
export function deadlineLine({ deadline }: Removal = {}): readonly string[] {
  return deadline === undefined ? [] : [`  by ${formatTimestamp(deadline)} the pods are deleted, whatever holds them`]
}

export function holdText({ kind, name }: Hold): string {
  switch (kind) {
    case 'budget':
      return `poddisruptionbudget ${name}, which allows no disruption now`
    case 'oneOfSeveralBudgets':
      return `poddisruptionbudget ${name}, one of several that select the pod: Kubernetes evicts no pod with several`
    case 'annotation':
      return `annotation ${name} of the pod`
  }
}

/** What a user can do so that the pod may go. */
export const LET_GO: { readonly [Kind in Hold['kind']]: string } = {
  budget: 'run more ready replicas, or allow a disruption in spec of the poddisruptionbudget',
  oneOfSeveralBudgets: 'leave one poddisruptionbudget that selects the pod',
  annotation: 'remove the annotation when the pod may be interrupted',
}

function named(pods: readonly string[]): string {
  const more = pods.length > MOST_NAMED ? ` and ${pods.length - MOST_NAMED} more` : ''
  return `${pods.length === 1 ? 'pod' : 'pods'} ${pods.slice(0, MOST_NAMED).join(', ')}${more}`
}

const MOST_NAMED = 10
const SECOND_MS = 1_000
