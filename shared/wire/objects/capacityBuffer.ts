import type { CapacityBuffer, CapacityBufferStatus, PodTemplate } from '../../model/capacityBuffer.ts'
import type { ObjectKey } from '../../model/ids.ts'
import type { NodeOverlay } from '../../model/nodePool.ts'
import { as, type Codec, integer, list, optional, orElse, record, text } from '../codec.ts'
import { pod } from './pod.ts'
import { conditions, meta, requirementSpecs, resources, uidText } from './shared.ts'

const key: Codec<ObjectKey> = as(text)

export const nodeOverlay: Codec<NodeOverlay> = record<NodeOverlay>({
  name: text,
  meta,
  requirements: requirementSpecs,
  price: optional(text),
  priceAdjustment: optional(text),
  capacity: optional(resources),
  weight: optional(integer),
  unknownValues: optional(list(text)),
  status: record<NodeOverlay['status']>({ conditions }),
})

export const capacityBuffer: Codec<CapacityBuffer> = record<CapacityBuffer>({
  key,
  meta,
  strategy: text,
  podTemplate: optional(text),
  scalable: optional(record<NonNullable<CapacityBuffer['scalable']>>({ apiGroup: text, kind: text, name: text })),
  replicas: optional(integer),
  percentage: optional(integer),
  limits: optional(resources),
  status: record<CapacityBufferStatus>({
    podTemplate: optional(text),
    podTemplateGeneration: optional(integer),
    replicas: optional(integer),
    strategy: optional(text),
    conditions,
  }),
})

export const podTemplate: Codec<PodTemplate> = record<PodTemplate>({ key, uid: uidText, generation: orElse(integer, 0), pod })
