import type { Pod } from '../../shared/model/pod.ts'
import { decode } from '../../shared/wire/codec.ts'
import { pod as podCodec } from '../../shared/wire/objects/pod.ts'
import type { Workload } from './workload.ts'

/** Returns the workload with its pods as if they were read from the log: strings are flat, and equal parts are shared. */
export function withParsedPods(workload: Workload): Workload {
  return {
    ...workload,
    build() {
      const { loaded, arrivals } = workload.build()
      return {
        loaded: { ...loaded, objects: { ...loaded.objects, pod: parsedPods(loaded.objects.pod) } },
        ...(arrivals === undefined ? {} : { arrivals: (event) => parsedPods(arrivals(event)) }),
      }
    },
  }
}

function parsedPods(pods: readonly Pod[]): readonly Pod[] {
  return pods.map((pod) => {
    const read = decode(podCodec, JSON.parse(JSON.stringify(podCodec.write(pod))), { object: `pod/${pod.key}` })
    if (!read.ok) throw new Error(read.error.message)
    return read.value
  })
}
