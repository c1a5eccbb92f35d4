import type { FieldRow } from './fieldRow.ts'

const READ = 'shared/wire/kube/everyMember.test.ts'
const SPEC = 'Pod.spec'
/** What happens to a pod for a rule that Joiner does not know. */
export const NOT_MODELLED =
  'not modelled: the pod may get a node that kube-scheduler refuses. Then it is told and gets no other node for a time: test/crash/refusedPods.test.ts'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

const METADATA: readonly FieldRow[] = [
  {
    of: 'Pod.metadata',
    fields: 'labels',
    plugins: 'InterPodAffinity, PodTopologySpread',
    shown: {
      'test/scenarios/affinity.ts': ['Y23 to nobody that is there', 'Y31 to a pod that runs'],
      'test/scenarios/zonalSpread.ts': ['T4 four pods, by label'],
    },
  },
  {
    of: 'Pod.metadata',
    fields: 'namespace',
    plugins: 'InterPodAffinity, PodTopologySpread',
    shown: { 'test/scenarios/affinity.ts': ['Y28 to a pod of another namespace that is not named'] },
  },
  {
    of: 'Pod.metadata',
    fields: 'deletionTimestamp',
    plugins: 'PodTopologySpread',
    shown: { 'test/scenarios/zonalSpread.ts': ['T15 who is not counted'], 'test/scenarios/affinity.ts': ['Y40 a pod that goes'] },
    rare: 'random worlds have no ending pods; the rows of deletingNodes.ts have them',
  },
  {
    of: 'Pod.metadata',
    fields: 'ownerReferences',
    plugins: 'PodTopologySpread (default constraints)',
    shown: { 'test/scenarios/defaultSpread.ts': ['X1 over zones, for pods of a ReplicaSet', 'X13.4 an owner of a kind that says nothing'] },
    rare: 'random worlds have no default constraints',
  },
  {
    of: 'Pod.metadata',
    fields: 'name uid',
    why: 'the identity of the pod: decides nothing',
  },
  {
    of: 'Pod.metadata',
    fields:
      'annotations creationTimestamp deletionGracePeriodSeconds finalizers generateName generation managedFields resourceVersion selfLink',
    why: 'no plugin reads them',
  },
  { of: 'Pod', fields: 'apiVersion kind', why: 'the type of the object' },
]

const PLACE: readonly FieldRow[] = [
  {
    of: SPEC,
    fields: 'nodeName',
    plugins: 'NodeName',
    shown: { 'test/scenarios/existingNodes.ts': ['E10 bound pods take their room'] },
  },
  {
    of: SPEC,
    fields: 'nodeSelector',
    plugins: 'NodeAffinity, PodTopologySpread',
    shown: {
      'test/scenarios/labels.ts': ['W2 a pod selects one of the pool’s zones', 'L3 a label the pool does not have'],
      'test/scenarios/otherSpread.ts': ['H12 a node that the pods’ selector leaves out is no domain for them'],
    },
  },
  {
    of: `${SPEC}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`,
    fields: 'matchExpressions',
    plugins: 'NodeAffinity, PodTopologySpread',
    shown: {
      'test/scenarios/preferences.ts': ['F2 the third of four alternatives is the first that can be met'],
      'test/scenarios/otherSpread.ts': ['H24.1 node affinity honoured: they are none'],
    },
  },
  {
    of: `${SPEC}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`,
    fields: 'matchFields',
    plugins: 'NodeAffinity',
    shown: {
      'test/scenarios/nominations.ts': ['PR15 a pod that selects nodes by field'],
      'test/scenarios/daemonSets.ts': ['J17 a daemon’s pod that is held to its node'],
    },
    rare: 'pods with matchFields are refused',
  },
  {
    of: `${SPEC}.affinity.nodeAffinity.${PREFERRED}`,
    fields: 'weight preference.matchExpressions',
    plugins: 'NodeAffinity (score)',
    shown: { 'test/scenarios/preferences.ts': ['F4 the heaviest wish that can be met'] },
  },
  {
    of: `${SPEC}.affinity.nodeAffinity.${PREFERRED}`,
    fields: 'preference.matchFields',
    plugins: 'NodeAffinity (score)',
    why: 'a preference for one existing node: kube-scheduler decides about it alone',
  },
  ...(['podAffinity', 'podAntiAffinity'] as const).map(
    (kind): FieldRow => ({
      of: `${SPEC}.affinity.${kind}.${REQUIRED}`,
      fields: 'labelSelector matchLabelKeys mismatchLabelKeys namespaceSelector namespaces topologyKey',
      plugins: 'InterPodAffinity',
      shown: {
        'test/scenarios/affinity.ts': [
          'Y29 to a pod of a namespace that is named',
          'Y30.1 to a pod of namespaces that a selector leaves out',
        ],
        'test/scenarios/antiAffinity.ts': ['Y12 a host each', 'Y15 another architecture'],
        [READ]: ['is another object with another value of a member'],
      },
    }),
  ),
  ...(['podAffinity', 'podAntiAffinity'] as const).map(
    (kind): FieldRow => ({
      of: `${SPEC}.affinity.${kind}.${PREFERRED}`,
      fields: 'weight podAffinityTerm',
      plugins: 'InterPodAffinity (score)',
      shown: {
        'test/scenarios/preferences.ts': ['F10 respected: a wish to be where another pod is', 'F10.1 respected: a wish not to be where'],
      },
    }),
  ),
  {
    of: `${SPEC}.topologySpreadConstraints`,
    fields: 'labelSelector matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable',
    plugins: 'PodTopologySpread',
    shown: {
      'test/scenarios/zonalSpread.ts': ['T18 more domains wanted than there are', 'T11 a larger skew'],
      'test/scenarios/otherSpread.ts': ['H19 two revisions spread each for itself', 'H21.1 taints honoured', 'H24 node affinity ignored'],
      'test/scenarios/preferences.ts': ['F10.2 respected: spreads that are only wished for'],
    },
  },
  {
    of: SPEC,
    fields: 'tolerations',
    plugins: 'TaintToleration, NodeUnschedulable, PodTopologySpread',
    shown: { 'test/scenarios/taints.ts': ['K2.2 tolerated by its value and effect', 'K2.5 another effect is tolerated'] },
  },
]

const AMOUNTS: readonly FieldRow[] = [
  {
    of: `${SPEC}.containers`,
    fields: 'resources.requests',
    plugins: 'NodeResourcesFit, NodeResourcesBalancedAllocation',
    shown: { 'test/scenarios/packing.ts': ['P2 the smallest size that holds it'] },
  },
  {
    of: `${SPEC}.initContainers`,
    fields: 'resources.requests restartPolicy',
    plugins: 'NodeResourcesFit',
    shown: { 'test/scenarios/packing.ts': ['P11 its start asks for more than its run', 'P17 a sidecar that comes first'] },
  },
  {
    of: SPEC,
    fields: 'containers.resources.limits initContainers.resources.limits resources.limits',
    plugins: 'none for pods: the API server has made requests of limits',
    why: 'templates have no API server: shared/wire/kube/podResources.ts makes the requests of the pods that a template makes',
  },
  {
    of: SPEC,
    fields: 'resources.requests',
    plugins: 'NodeResourcesFit',
    shown: { 'test/scenarios/packing.ts': ['P19 the pod’s own level stands above its containers'] },
  },
  {
    of: SPEC,
    fields: 'overhead',
    plugins: 'NodeResourcesFit',
    shown: { 'test/scenarios/packing.ts': ['P3 what its runtime adds counts'] },
    rare: 'the API server takes the overhead of a runtime class only',
  },
  {
    of: 'Pod.status',
    fields:
      'containerStatuses.allocatedResources containerStatuses.name containerStatuses.resources.requests initContainerStatuses.allocatedResources initContainerStatuses.name initContainerStatuses.resources.requests allocatedResources resources.requests',
    plugins: 'NodeResourcesFit (pods on the node)',
    shown: {
      'shared/wire/kube/pod.test.ts': ['takes what it was given'],
      [READ]: ['is another object with another value of a member'],
    },
    rare: 'a resize in place is a state of running pods; random pods on nodes have what they ask for',
  },
  {
    of: SPEC,
    fields: 'containers.ports initContainers.ports hostNetwork',
    plugins: 'NodePorts',
    shown: {
      'test/scenarios/hostPorts.ts': ['HP3 another protocol', 'HP5 one address and all'],
      [READ]: ['is another object with another value of a member'],
    },
  },
]

const VOLUMES: readonly FieldRow[] = [
  {
    of: `${SPEC}.volumes`,
    fields: 'persistentVolumeClaim.claimName',
    plugins: 'VolumeBinding, VolumeRestrictions, VolumeZone, NodeVolumeLimits',
    shown: { 'test/scenarios/volumes.ts': ['V2 one claim of a hundred pods is one disk', 'V17 a claim that is not there'] },
  },
  {
    of: `${SPEC}.volumes`,
    fields: 'name ephemeral.volumeClaimTemplate.spec.storageClassName',
    plugins: 'VolumeBinding, NodeVolumeLimits',
    shown: { 'test/scenarios/volumes.ts': ['V8 volumes made for the pod, of a named class', 'V8.1 volumes made for the pod'] },
  },
  {
    of: `${SPEC}.volumes`,
    fields: 'ephemeral',
    why: 'the ephemeral controller copies the template into a claim, and the plugins read the claim',
  },
  {
    of: `${SPEC}.volumes`,
    fields: 'csi.driver',
    plugins: 'NodeVolumeLimits reads no inline volume of a CSI driver',
    shown: { 'test/scenarios/volumes.ts': ['V3 a volume without a driver is none'] },
    rare: 'an inline volume of a CSI driver restricts nothing',
  },
  {
    of: `${SPEC}.volumes`,
    fields: 'azureDisk awsElasticBlockStore gcePersistentDisk iscsi rbd',
    plugins: 'VolumeRestrictions (all but azureDisk), NodeVolumeLimits (azureDisk)',
    why: `an inline disk of a plugin that the CSI drivers replaced; ${NOT_MODELLED}`,
  },
  {
    of: `${SPEC}.volumes`,
    fields: 'image',
    plugins: 'ImageLocality (score, since 1.37)',
    why: 'a score for nodes that have the image; a new node has none',
  },
  {
    of: `${SPEC}.volumes`,
    fields:
      'csi persistentVolumeClaim azureFile cephfs cinder configMap downwardAPI emptyDir fc flexVolume flocker gitRepo glusterfs hostPath nfs photonPersistentDisk portworxVolume projected quobyte scaleIO secret storageos vsphereVolume',
    why: 'no plugin reads them',
  },
]

const QUEUE: readonly FieldRow[] = [
  {
    of: SPEC,
    fields: 'schedulingGates',
    plugins: 'SchedulingGates',
    shown: { 'test/scenarios/additional.ts': ['AD1.1 a pod behind a gate'] },
    rare: 'a pod behind a gate is not planned',
  },
  {
    of: SPEC,
    fields: 'schedulerName',
    plugins: 'none: the profile of the scheduler',
    shown: { [READ]: ['is another object with another value of a member'] },
    rare: 'pods of other schedulers are not planned',
  },
  {
    of: SPEC,
    fields: 'priority',
    plugins: 'PrioritySort, DefaultPreemption',
    shown: { 'test/scenarios/limits.ts': ['G12.1 the last machine is for the more important pod', 'G12.2 and although it came later'] },
    rare: 'random worlds have pods of one priority; test/properties/importantFirst.test.ts draws priorities',
  },
  {
    of: SPEC,
    fields: 'schedulingGroup',
    plugins: 'GangScheduling, PodGroupPodsCount, TopologyPlacement (alpha)',
    shown: { 'test/scenarios/instanceTypes.ts': ['A1.1 a pod that is bound with its group or not at all'] },
    rare: 'pods of a group are refused',
  },
  {
    of: SPEC,
    fields: 'hostUsers containers.restartPolicyRules initContainers.restartPolicyRules',
    plugins: 'NodeDeclaredFeatures (a container that restarts all others; a user namespace in the network of the host)',
    why: `nodes of the version of the cluster declare the features that are on by default; ${NOT_MODELLED}`,
  },
  {
    of: SPEC,
    fields: 'containers.volumeMounts.bindMountOptions initContainers.volumeMounts.bindMountOptions',
    plugins: 'NodeDeclaredFeatures (alpha)',
    why: `no node declares a feature that is off by default; ${NOT_MODELLED}`,
    since: '1.37',
  },
  {
    of: SPEC,
    fields: 'preemptionPolicy',
    plugins: 'DefaultPreemption',
    shown: { [READ]: ['is another object with another value of a member'] },
    rare: 'preemption moves pods between nodes, and decides nothing about new nodes',
  },
  {
    of: SPEC,
    fields: 'resourceClaims containers.resources.claims initContainers.resources.claims resources.claims',
    plugins: 'DynamicResources',
    why: 'refused: POD.UNSUPPORTED_RESOURCE_CLAIM, see A1 of test/scenarios/instanceTypes.ts',
  },
  {
    of: 'Pod.status',
    fields: 'resourceClaimStatuses extendedResourceClaimStatus nodeAllocatableResourceClaimStatuses',
    plugins: 'DynamicResources',
    why: 'pods with resource claims are refused; an extended resource of a device class counts as any extended resource',
  },
  {
    of: 'Pod.status',
    fields: 'nominatedNodeName',
    plugins: 'all filters (the pod counts on its nominated node), DefaultPreemption',
    shown: {
      'test/scenarios/nominatedPods.ts': ['NN2 its room is taken', 'NN5 a node that does not exist', 'NN6 a name that has not come'],
    },
    rare: 'test/generators/nominated.ts draws it, and the agreement rounds set it on the pods of a plan',
  },
  {
    of: 'Pod.status',
    fields: 'conditions phase',
    plugins: 'none: the queue',
    shown: { 'test/scenarios/existingNodes.ts': ['E11 pods that have ended take none'] },
  },
  {
    of: 'Pod.status',
    fields: 'startTime',
    plugins: 'DefaultPreemption (which victims)',
    why: 'the age of a pod; kube-scheduler alone chooses victims',
  },
]

const UNREAD: readonly FieldRow[] = [
  {
    of: SPEC,
    fields: 'containers.image initContainers.image',
    plugins: 'ImageLocality (score)',
    why: 'a score for nodes that have the image; a new node has none',
  },
  {
    of: SPEC,
    fields:
      'activeDeadlineSeconds automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks ephemeralContainers hostAliases hostIPC hostPID hostname hostnameOverride imagePullSecrets initContainers os priorityClassName readinessGates restartPolicy runtimeClassName securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds',
    why: 'no plugin reads them: admission has put priority, overhead and the rules of a runtime class into the pod',
  },
  { of: SPEC, fields: 'evictionResponders', why: 'no plugin reads them', since: '1.37' },
  {
    of: 'Pod.status',
    fields:
      'containerStatuses initContainerStatuses ephemeralContainerStatuses resources hostIP hostIPs message observedGeneration podIP podIPs qosClass reason resize',
    why: 'no plugin reads them',
  },
  { of: 'Pod.status', fields: 'volumeHealth', why: 'no plugin reads it', since: '1.37' },
]

export const POD_FIELDS: readonly FieldRow[] = [...METADATA, ...PLACE, ...AMOUNTS, ...VOLUMES, ...QUEUE, ...UNREAD]
