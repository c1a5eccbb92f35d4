import type { ClaimConditionType } from '../../shared/engine/lifecycle/claimStatus.ts'

type Meanings = { readonly [type: string]: string }

const CLAIM: { readonly [Type in ClaimConditionType]: string } = {
  Launched: 'Azure took the request for the machine. Until then the message says which refusal was met last',
  Registered: 'the machine joined as a node, which carries its labels and taints',
  Initialized: 'the node is ready, without startup taints, with all its resources',
  Drained: 'the node that is being deleted has no pods left that must be evicted. Until then the message names who holds it',
  VolumesDetached:
    'no volume is attached to the drained node any more. Until then the message names some that are. False: the deadline came first',
  InstanceTerminating: 'Azure was asked to delete the machine',
  Rebooting:
    'a repair reboots the node: `RebootRequested` while it is drained, `RebootIssued` once Azure restarts the machine. False: the reboot has ended, `RebootSucceeded` or `RebootFailed`',
  ConsistentStateFound: 'the node has what the claim promised. False: the message says what is missing',
}

/** The meaning of each condition when it is True, by kind. */
export const CONDITIONS: { readonly [kind: string]: Meanings } = {
  NodePool: {
    ValidationSucceeded: 'the NodePool breaks no rule, and some size meets its requirements',
    NodeClassReady: 'the AKSNodeClass that it refers to is there and ready',
    NodeRegistrationHealthy: 'the last machines of the pool joined. False: the last ones did not, and the message says how they failed',
    NodeCreationPaused: 'the pool makes no nodes until the time in the message, since the last ones did not join. False: it tries again',
    DisruptionRulesInvalid:
      'a budget, the policy or an annotation about moves cannot be read; the message names field and rule, and what is held. Absent where all can be read',
    DriftPaused:
      'drifted nodes of the pool are not replaced, since the last replacements had drifted when they came up; the message names them. Absent where they are',
    Ready: 'the first two are True: the pool can make nodes',
  },
  AKSNodeClass: {
    KubernetesVersionReady: 'always: kubelets get `status.kubernetesVersion`, or the version of the cluster until the status names one',
    ImagesReady:
      'there are images for the class, and `status.images` names them once Azure was asked. `Launched` of the NodeClaim says where an image is not found',
    SubnetsReady: 'the subnet is one of the cluster',
    LocalDNSReady:
      '`status.localDNSState` says whether nodes run a DNS server of their own. False: they cannot have the one that `localDNS` asks for; the message names the field',
    ValidationSucceeded: 'the sizes of the region are known, and the spec leaves some of them, images aside',
    Ready: 'the others are True, where they are there',
  },
  NodeClaim: { ...CLAIM, Ready: 'Launched, Registered and Initialized are True' },
  NodeOverlay: { ValidationSucceeded: 'the overlay is applied. False: it breaks a rule, or another of the same weight says otherwise' },
  CapacityBuffer: {
    ReadyForProvisioning: 'what room is to be kept for is known',
    Provisioning: 'the room is there. False: machines for it are on their way, or none can be had',
  },
}
