import { numberAt, objectAt, textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { eventTable } from '../tables/clusterTables.ts'
import { METADATA_FIELDS } from './fieldSelector.ts'
import type { Resource } from './resource.ts'

const VERSION = 'events.k8s.io/v1'
const REGARDING = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** The same events in the newer API group, with other names for the fields. Read only. */
export const eventResource: Resource = {
  group: 'events.k8s.io',
  plural: 'events',
  singular: 'event',
  kind: 'Event',
  listKind: 'EventList',
  namespaced: true,
  shortNames: ['ev'],
  categories: [],
  versions: [{ name: 'v1', table: eventTable, codec: { toClient: toNew, fromClient: (written) => written } }],
  storageVersion: 'v1',
  storedAs: 'events',
  verbs: ['get', 'list', 'watch'],
  subresources: [],
  selectableFields: {
    ...METADATA_FIELDS,
    reason: ['reason'],
    type: ['type'],
    reportingController: ['reportingComponent'],
    ...Object.fromEntries(REGARDING.map((member) => [`regarding.${member}`, ['involvedObject', member]])),
  },
  custom: false,
  returnsDeleted: false,
  strategy: {},
}

const shown = new WeakMap<KubeObject, KubeObject>()

function toNew(event: KubeObject): KubeObject {
  const known = shown.get(event)
  if (known) return known
  const made = convert(event)
  shown.set(event, made)
  return made
}

function convert(event: KubeObject): KubeObject {
  return {
    apiVersion: VERSION,
    kind: event.kind,
    metadata: event.metadata,
    eventTime: event['eventTime'] ?? null,
    reportingController: textAt(event, 'reportingComponent'),
    reportingInstance: textAt(event, 'reportingInstance'),
    action: event['action'],
    reason: event['reason'],
    regarding: objectAt(event, 'involvedObject'),
    related: event['related'],
    note: event['message'],
    type: event['type'],
    series: event['series'],
    deprecatedSource: objectAt(event, 'source'),
    deprecatedFirstTimestamp: event['firstTimestamp'] ?? null,
    deprecatedLastTimestamp: event['lastTimestamp'] ?? null,
    deprecatedCount: numberAt(event, 'count'),
  }
}
