import type { RefusedPlace, SchedulerRefusal, WatchedPod } from '../../model/claimRefusal.ts'
import type { NodeName } from '../../model/ids.ts'
import { as, type Codec, integer, optional, record, text } from '../codec.ts'
import { instant, podRef } from './shared.ts'

const node = as<NodeName>(text)

export const schedulerRefusal: Codec<SchedulerRefusal> = record<SchedulerRefusal>({
  pod: podRef,
  inputs: text,
  watched: optional(
    record<WatchedPod>({ begunAt: instant, place: optional(record<NonNullable<WatchedPod['place']>>({ node, since: instant })) }),
  ),
  refused: optional(record<RefusedPlace>({ node, times: integer, until: instant, message: optional(text) })),
})
