import type { Suite } from './parts.ts'
import type { ListedSpec } from './report.ts'

const OWN_DEPLOYMENT =
  'It changes the settings of the Deployment karpenter in kube-system. Joiner runs outside of the cluster and has no Deployment there.'
const KWOK = 'It skips itself for each provider but KWOK, since the kubelet of a real node sets Ready again.'

const spread = (text: string): ListedSpec => ({ name: `DefaultTopologySpreadConstraints > ${text}`, why: OWN_DEPLOYMENT })
const terminateFirst = (text: string): ListedSpec => ({ name: `TerminateFirst > ${text}`, why: OWN_DEPLOYMENT })
const kubelet = (text: string): ListedSpec => ({ name: `Repair > Kubelet conditions > Conditions > ${text}`, why: KWOK })

/** The specs that cannot hold, with the reason. */
export const LISTED: { readonly [suite in Suite]: readonly ListedSpec[] } = {
  regression: [
    spread('should provision a node per pod for a workload its owner is the selector for'),
    spread('should provision a node per pod for a workload a Service is the selector for'),
    spread("should pack pods the cluster's defaults don't apply to"),
    spread('should default only the pods in a batch that declare no constraints of their own'),
  ],
  disruption: [
    terminateFirst('terminates first when repairing an at-limit static NodePool'),
    terminateFirst('terminates first when drifting an at-limit static NodePool'),
    kubelet('Node Ready False'),
    kubelet('Node Ready Unknown'),
  ],
}
