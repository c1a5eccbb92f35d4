import type { Suite } from './parts.ts'
import type { ListedSpec } from './report.ts'

const KWOK = 'It skips itself for each provider but KWOK, since the kubelet of a real node sets Ready again.'

const kubelet = (text: string): ListedSpec => ({ name: `Repair > Kubelet conditions > Conditions > ${text}`, why: KWOK })

/** The specs that cannot hold, with the reason. */
export const LISTED: { readonly [suite in Suite]: readonly ListedSpec[] } = {
  regression: [],
  disruption: [kubelet('Node Ready False'), kubelet('Node Ready Unknown')],
}
