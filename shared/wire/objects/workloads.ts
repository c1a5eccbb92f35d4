import type { NodeName, ObjectKey } from '../../model/ids.ts'
import type {
  CsiNode,
  DaemonSet,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  StorageClass,
  VolumeAsk,
  VolumeAttachment,
  VolumeOffer,
  Workload,
} from '../../model/workloads.ts'
import {
  as,
  type Codec,
  constant,
  dictionary,
  flag,
  integer,
  list,
  NO_ITEMS,
  number,
  oneOf,
  optional,
  orElse,
  record,
  text,
} from '../codec.ts'
import { pod } from './pod.ts'
import { conditions, labelSelector, labels, selectorTerms, texts, uidText } from './shared.ts'

const key: Codec<ObjectKey> = as(text)

export const daemonSet: Codec<DaemonSet> = record<DaemonSet>({ key, uid: uidText, pod })

export const podDisruptionBudget: Codec<PodDisruptionBudget> = record<PodDisruptionBudget>({
  key,
  uid: uidText,
  selector: optional(labelSelector),
  disruptionsAllowed: orElse(integer, 0),
  currentHealthy: optional(integer),
  desiredHealthy: optional(integer),
  expectedPods: optional(integer),
  unhealthyPodEvictionPolicy: orElse(oneOf('IfHealthyBudget', 'AlwaysAllow'), 'IfHealthyBudget'),
  conditions,
  minAvailable: optional(text),
  maxUnavailable: optional(text),
})

export const namespace: Codec<Namespace> = record<Namespace>({ name: text, uid: uidText, labels })

export const persistentVolumeClaim: Codec<PersistentVolumeClaim> = record<PersistentVolumeClaim>({
  key,
  uid: uidText,
  volumeName: optional(text),
  storageClassName: optional(text),
  deleted: orElse(flag, false),
  isBinding: optional(flag),
  isLost: optional(flag),
  isOncePod: optional(flag),
  selectedNode: optional(as<NodeName>(text)),
  asks: optional(
    record<VolumeAsk>({ storage: number, accessModes: texts, isBlock: optional(constant(true)), selector: optional(labelSelector) }),
  ),
})

export const persistentVolume: Codec<PersistentVolume> = record<PersistentVolume>({
  name: text,
  uid: uidText,
  driver: optional(text),
  nodeTerms: optional(selectorTerms),
  deleted: optional(flag),
  offers: optional(
    record<VolumeOffer>({
      storageClass: text,
      storage: number,
      accessModes: texts,
      isBlock: optional(constant(true)),
      labels,
      claim: optional(key),
      claimUid: optional(uidText),
    }),
  ),
})

type AllowedTopologies = StorageClass['allowedTopologies']

const topologies: Codec<AllowedTopologies> = list(list(record<AllowedTopologies[number][number]>({ key: text, values: texts })))

export const storageClass: Codec<StorageClass> = record<StorageClass>({
  name: text,
  uid: uidText,
  provisioner: text,
  bindingMode: oneOf('Immediate', 'WaitForFirstConsumer'),
  isDefault: orElse(flag, false),
  createdAt: integer,
  allowedTopologies: orElse(topologies, NO_ITEMS),
})

export const csiNode: Codec<CsiNode> = record<CsiNode>({
  name: as<NodeName>(text),
  uid: uidText,
  limits: orElse(dictionary(integer), Object.freeze({})),
  unlimited: optional(texts),
})

export const volumeAttachment: Codec<VolumeAttachment> = record<VolumeAttachment>({
  name: text,
  uid: uidText,
  node: as<NodeName>(text),
  volumeName: optional(text),
})

export const service: Codec<Service> = record<Service>({ key, uid: uidText, selector: optional(labels) })

export const workload: Codec<Workload> = record<Workload>({
  key,
  uid: uidText,
  apiVersion: text,
  kind: text,
  replicas: orElse(integer, 1),
  selector: optional(labelSelector),
  pod: optional(pod),
})
