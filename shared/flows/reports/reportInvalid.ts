import { settle } from '../../base/bounded.ts'
import { canonicalJson } from '../../base/canonicalJson.ts'
import type { ObjectKind } from '../../model/clusterObjects.ts'
import type { Problem } from '../../model/problem.ts'
import { subjectOf } from '../../model/subjects.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { logRefused, problemOf } from '../deps/doEach.ts'

export type InvalidObject = { readonly kind: ObjectKind; readonly key: string; readonly problem: Problem }

/** An API server keeps an Event for an hour. */
const TOLD_AGAIN = durationMs(45 * 60_000)

/** When this process told of an object, by the state that holds the object. */
const told = new WeakMap<object, Map<string, EpochMs>>()

/**
 * Tells of objects that cannot be read, and that decisions are made without: as an Event on the object, and in the log. Each process tells of an object
 * once, and again while it stays so.
 */
export async function reportInvalid(
  deps: Pick<ClusterDeps, 'api' | 'clock' | 'cluster' | 'telemetry'>,
  state: { invalid(): readonly InvalidObject[] },
  signal: AbortSignalLike,
): Promise<void> {
  const now = deps.clock.now()
  const before = told.get(state) ?? new Map<string, EpochMs>()
  const after = new Map<string, EpochMs>()
  for (const invalid of state.invalid()) {
    const text = canonicalJson([invalid.kind, invalid.key, invalid.problem.message])
    const at = before.get(text)
    after.set(text, at ?? now)
    if (at !== undefined && now < later(at, TOLD_AGAIN)) continue
    after.set(text, now)
    await tell(deps, invalid, signal)
  }
  told.set(state, after)
}

async function tell(
  deps: Pick<ClusterDeps, 'api' | 'cluster' | 'telemetry'>,
  { kind, key, problem: { code, message } }: InvalidObject,
  signal: AbortSignalLike,
): Promise<void> {
  const said = `joiner cannot read the object, and decides without it: ${message}; to do: correct that field`
  deps.telemetry.warn(said, { cluster: deps.cluster, code, kind, object: key })
  const subject = subjectOf(kind, key)
  if (subject === undefined) return
  const event = { subject, type: 'Warning', reason: 'Unreadable', message: `${said} (${code})` } as const
  const published = await settle(() => deps.api.publish(event, signal))
  if (!published.ok) logRefused(deps, `an event about ${kind} ${key}`, problemOf(published.error))
}
