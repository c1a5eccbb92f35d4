import { textAt } from '../object/json.ts'
import { nameOf } from '../object/kubeObject.ts'
import { METADATA_FIELDS } from '../resources/fieldSelector.ts'
import type { Resource } from '../resources/resource.ts'
import { column, type TableLayout } from '../tables/tableLayout.ts'
import { usageOf } from './usage.ts'

const GROUP = 'metrics.k8s.io'
const VERSION = 'v1beta1'
export const METRICS_API_VERSION = `${GROUP}/${VERSION}`

const table: TableLayout = {
  columns: [column('Name'), column('cpu'), column('memory'), column('Window')],
  row: (object) => {
    const { cpu, memory } = usageOf(object)
    return [nameOf(object), cpu, memory, textAt(object, 'window')]
  },
}

/** What `kubectl top` reads. The server makes the objects from nodes and pods, and stores none. */
export const METRICS_RESOURCES: readonly Resource[] = [metrics('nodes', 'NodeMetrics', false), metrics('pods', 'PodMetrics', true)]

function metrics(plural: string, kind: string, namespaced: boolean): Resource {
  return {
    group: GROUP,
    plural,
    singular: '',
    kind,
    listKind: `${kind}List`,
    namespaced,
    shortNames: [],
    categories: [],
    versions: [{ name: VERSION, table }],
    storageVersion: VERSION,
    storedAs: `${plural}.${GROUP}`,
    verbs: ['get', 'list'],
    subresources: [],
    selectableFields: METADATA_FIELDS,
    custom: true,
    returnsDeleted: false,
    strategy: {},
  }
}

export function isMetrics(resource: Resource): boolean {
  return resource.group === GROUP
}
