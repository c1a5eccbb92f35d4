import { asText, at, type Json, type JsonObject, listAt, numberAt, objectAt, textAt } from '../object/json.ts'
import { type KubeObject, nameOf } from '../object/kubeObject.ts'
import { humanDuration, objectAge } from './age.ts'
import { column, type TableLayout, wide } from './tableLayout.ts'

const COUNT = { type: 'integer' } as const

function containers(object: KubeObject, member: 'name' | 'image'): string {
  return listAt(object, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, member))
    .join(',')
}

/** A label selector as one line. */
export function printSelector(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${asText(value)}`)
  const expressions = listAt(selector, 'matchExpressions').map(printExpression)
  const all = [...labels, ...expressions].sort()
  return all.length === 0 ? '<none>' : all.join(',')
}

function printExpression(expression: Json): string {
  const key = textAt(expression, 'key')
  const values = listAt(expression, 'values').map(asText).sort().join(',')
  switch (textAt(expression, 'operator')) {
    case 'In':
      return `${key} in (${values})`
    case 'NotIn':
      return `${key} notin (${values})`
    case 'DoesNotExist':
      return `!${key}`
    default:
      return key
  }
}

const count = (object: KubeObject, ...path: readonly string[]): number => numberAt(object, ...path) ?? 0
const selectorOf = (object: KubeObject): string => printSelector(objectAt(object, 'spec', 'selector'))
/** Returns the selector of kinds whose selector is a map of labels. */
export const plainSelectorOf = (object: KubeObject): string => printSelector({ matchLabels: objectAt(object, 'spec', 'selector') })
const TEMPLATE_COLUMNS = [wide('Containers'), wide('Images'), wide('Selector')]
const templateCells = (object: KubeObject, selectorText = selectorOf): string[] => [
  containers(object, 'name'),
  containers(object, 'image'),
  selectorText(object),
]

export const deploymentTable: TableLayout = {
  columns: [column('Name'), column('Ready'), column('Up-to-date', COUNT), column('Available', COUNT), column('Age'), ...TEMPLATE_COLUMNS],
  row: (object, now) => [
    nameOf(object),
    `${count(object, 'status', 'readyReplicas')}/${count(object, 'spec', 'replicas')}`,
    count(object, 'status', 'updatedReplicas'),
    count(object, 'status', 'availableReplicas'),
    objectAge(object, now),
    ...templateCells(object),
  ],
}

export const replicaSetTable = replicatedTable(selectorOf)
export const replicationControllerTable = replicatedTable(plainSelectorOf)

function replicatedTable(selectorText: (object: KubeObject) => string): TableLayout {
  return {
    columns: [
      column('Name'),
      column('Desired', COUNT),
      column('Current', COUNT),
      column('Ready', COUNT),
      column('Age'),
      ...TEMPLATE_COLUMNS,
    ],
    row: (object, now) => [
      nameOf(object),
      count(object, 'spec', 'replicas'),
      count(object, 'status', 'replicas'),
      count(object, 'status', 'readyReplicas'),
      objectAge(object, now),
      ...templateCells(object, selectorText),
    ],
  }
}

export const daemonSetTable: TableLayout = {
  columns: [
    column('Name'),
    column('Desired', COUNT),
    column('Current', COUNT),
    column('Ready', COUNT),
    column('Up-to-date', COUNT),
    column('Available', COUNT),
    column('Node Selector'),
    column('Age'),
    ...TEMPLATE_COLUMNS,
  ],
  row: (object, now) => [
    nameOf(object),
    count(object, 'status', 'desiredNumberScheduled'),
    count(object, 'status', 'currentNumberScheduled'),
    count(object, 'status', 'numberReady'),
    count(object, 'status', 'updatedNumberScheduled'),
    count(object, 'status', 'numberAvailable'),
    printSelector({ matchLabels: objectAt(object, 'spec', 'template', 'spec', 'nodeSelector') }),
    objectAge(object, now),
    ...templateCells(object),
  ],
}

export const statefulSetTable: TableLayout = {
  columns: [column('Name'), column('Ready'), column('Age'), wide('Containers'), wide('Images')],
  row: (object, now) => [
    nameOf(object),
    `${count(object, 'status', 'readyReplicas')}/${count(object, 'spec', 'replicas')}`,
    objectAge(object, now),
    containers(object, 'name'),
    containers(object, 'image'),
  ],
}

export const podTemplateTable: TableLayout = {
  columns: [column('Name'), column('Containers'), column('Images'), column('Pod Labels')],
  row: (object) => {
    const of = (member: string): string =>
      listAt(object, 'template', 'spec', 'containers')
        .map((container) => textAt(container, member))
        .join(',')
    const labels = Object.entries(objectAt(object, 'template', 'metadata', 'labels')).map(([key, value]) => `${key}=${asText(value)}`)
    return [nameOf(object), of('name'), of('image'), labels.join(',') || '<none>']
  },
}

export const jobTable: TableLayout = {
  columns: [column('Name'), column('Status'), column('Completions'), column('Duration'), column('Age'), ...TEMPLATE_COLUMNS],
  row: (object, now) => [
    nameOf(object),
    jobStatus(object),
    `${count(object, 'status', 'succeeded')}/${numberAt(object, 'spec', 'completions') ?? 1}`,
    jobDuration(object, now),
    objectAge(object, now),
    ...templateCells(object),
  ],
}

function jobStatus(job: KubeObject): string {
  const holds = (type: string): boolean =>
    listAt(job, 'status', 'conditions').some((condition) => at(condition, 'type') === type && at(condition, 'status') === 'True')
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp) return 'Terminating'
  return holds('Suspended') ? 'Suspended' : 'Running'
}

function jobDuration(job: KubeObject, now: number): string {
  const start = textAt(job, 'status', 'startTime')
  if (start === '') return ''
  const end = textAt(job, 'status', 'completionTime')
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start))
}

export const disruptionBudgetTable: TableLayout = {
  columns: [column('Name'), column('Min Available'), column('Max Unavailable'), column('Allowed Disruptions', COUNT), column('Age')],
  row: (object, now) => {
    const bound = (member: string): string => {
      const found = at(object, 'spec', member)
      return found === undefined ? 'N/A' : asText(found)
    }
    return [
      nameOf(object),
      bound('minAvailable'),
      bound('maxUnavailable'),
      count(object, 'status', 'disruptionsAllowed'),
      objectAge(object, now),
    ]
  },
}
