import { mapBounded, settle } from '../../base/bounded.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { Pod } from '../../model/pod.ts'
import { isLeftOut, type SchedulerRefusal } from '../../model/schedulerRefusal.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { CALLS_AT_ONCE, logRefused, problemOf } from '../deps/doEach.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The most texts that one decision reads. Pods that one workload owns share a text. The next decisions read the others. */
const MOST_READ = 20

/**
 * The refusals of the ledger whose pods still wait. The text of a new refusal is read from the pod, since the change log does not have it. If the
 * scheduler does not refuse the pod any more, the refusal is dropped.
 */
export async function schedulerRefusalsOf(
  deps: ClusterDeps,
  state: ClusterState,
  { schedulerRefusals = [] }: Ledger,
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<readonly SchedulerRefusal[]> {
  const waiting = schedulerRefusals.filter(({ pod }) => state.isPending(pod.uid))
  const unread = waiting.filter((each) => isLeftOut(each, now) && each.refused?.message === undefined)
  if (unread.length === 0) return waiting
  const groups = [...Map.groupBy(unread, (each) => groupOf(each, state.find('pod', each.pod.key)))].slice(0, MOST_READ)
  const texts = await mapBounded(groups, CALLS_AT_ONCE, async ([, own]) => own[0] && textOf(deps, own[0], signal))
  const textOfEach = new Map(
    groups.flatMap(([, own], at) => own.map((each, place) => [each, { text: texts[at], isRead: place === 0 }] as const)),
  )
  return waiting.flatMap((each) => {
    const { text, isRead } = textOfEach.get(each) ?? {}
    if (text === undefined || each.refused === undefined) return [each]
    if (text === 'not refused') return isRead === true ? [] : [each]
    return [{ ...each, refused: { ...each.refused, message: text.message } }]
  })
}

function groupOf({ pod }: SchedulerRefusal, found: Pick<Pod, 'owner'> | undefined): string {
  return found?.owner?.uid ?? pod.uid
}

/** Undefined if the text cannot be read now. */
async function textOf(
  deps: ClusterDeps,
  { pod }: SchedulerRefusal,
  signal: AbortSignalLike,
): Promise<'not refused' | { readonly message: string } | undefined> {
  const read = await settle(() => deps.api.getSchedulerMessage(pod, signal))
  if (read.ok) return read.value === undefined ? 'not refused' : { message: read.value }
  logRefused(deps, `the look at pod ${pod.key}, which kube-scheduler refuses,`, problemOf(read.error))
  return undefined
}
