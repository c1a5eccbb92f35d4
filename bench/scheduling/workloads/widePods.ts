import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { pods } from '../../../test/builders/pod.ts'
import { apart, selecting, spreadOver } from './shapes.ts'

const MILLI_CPUS = [
  240, 450, 650, 900, 1400, 1900, 2400, 2800, 3300, 3700, 2300, 900, 1300, 2800, 1800, 1850, 3300, 3800, 225, 450, 700, 900, 1300, 1800,
  2400, 2800, 3400, 3800, 3300, 2800,
]
const MEBIBYTES = [
  300, 400, 700, 1024, 2048, 4096, 8192, 4096, 16384, 10240, 65536, 30720, 32768, 32768, 30720, 20480, 30720, 300, 500, 750, 1024, 2048,
  4096, 8192, 16384, 32768, 28672, 65536, 13312, 24576,
]
/** The first twenty deployments have 35 replicas, the others 30. */
const LARGER = 20

/** Returns the `wide` load of Karpenter's end-to-end suite: deployments 1 to 3 keep their pods apart, 4 to 6 spread them by host. */
export function widePods(): readonly Pod[] {
  return MILLI_CPUS.flatMap((milliCpu, index) => {
    const labels = { app: `wide-${index + 1}` }
    const selector = selecting(labels)
    const byHost = index >= 3 && index < 6 ? [spreadOver(LABEL.hostname, selector)] : []
    return pods(index < LARGER ? 35 : 30, {
      name: `wide-${index + 1}`,
      labels,
      cpus: milliCpu / 1000,
      memoryGib: (MEBIBYTES[index] ?? 0) / 1024,
      topologySpread: [spreadOver(LABEL.zone, selector), ...byHost],
      ...(index < 3 ? { podAntiAffinity: apart(selector) } : {}),
    })
  })
}
