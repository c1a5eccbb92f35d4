import { readQueries } from './queries.ts'
import { type Item, TABS, type Tab } from './tabs.ts'

/** Numbers of the workbook format. */
const TYPE = { text: 1, query: 3, parameters: 9, links: 11, group: 12 } as const
const RESOURCE_TYPE = 'microsoft.operationalinsights/workspaces'

/** Returns the workbook as `Microsoft.Insights/workbooks` takes it in `serializedData`. */
function workbook(): object {
  const queries = readQueries()
  return {
    version: 'Notebook/1.0',
    items: [timeRange(), tabBar(), ...TABS.map((tab) => group(tab, queries))],
    styleSettings: {},
    $schema: 'https://github.com/Microsoft/Application-Insights-Workbooks/blob/master/schema/workbook.json',
  }
}

export function workbookFile(): string {
  return `${JSON.stringify(workbook(), null, 2)}\n`
}

function timeRange(): object {
  const values = [3_600, 14_400, 86_400, 604_800, 2_592_000].map((seconds) => ({ durationMs: seconds * 1_000 }))
  const parameter = {
    id: 'c0d3a9a2-6a0e-4b3c-9a34-5f0a6f2d1a01',
    version: 'KqlParameterItem/1.0',
    name: 'TimeRange',
    label: 'Time range',
    type: 4,
    isRequired: true,
    value: { durationMs: 86_400_000 },
    typeSettings: { selectableValues: values, allowCustom: true },
  }
  return {
    type: TYPE.parameters,
    name: 'time range',
    content: { version: 'KqlParameterItem/1.0', parameters: [parameter], style: 'pills', queryType: 0, resourceType: RESOURCE_TYPE },
  }
}

function tabBar(): object {
  const links = TABS.map(({ name }, at) => ({
    id: `c0d3a9a2-6a0e-4b3c-9a34-5f0a6f2d1b${String(at).padStart(2, '0')}`,
    cellValue: 'tab',
    linkTarget: 'parameter',
    linkLabel: name,
    subTarget: name,
    style: 'link',
  }))
  return { type: TYPE.links, name: 'tabs', content: { version: 'LinkItem/1.0', style: 'tabs', links } }
}

function group({ name, about, items }: Tab, queries: ReadonlyMap<string, string>): object {
  const head = { type: TYPE.text, name: `${name}: about`, content: { json: about } }
  return {
    type: TYPE.group,
    name,
    conditionalVisibility: { parameterName: 'tab', comparison: 'isEqualTo', value: name },
    content: { version: 'NotebookGroup/1.0', groupType: 'editable', items: [head, ...items.map((item) => tile(item, queries))] },
  }
}

function tile({ title, of, picture, columns }: Item, queries: ReadonlyMap<string, string>): object {
  const query = queries.get(of)
  if (query === undefined) throw new Error(`tile ${title} is of query ${of}, which infra/queries does not have`)
  const chart = columns && { xAxis: columns.x, yAxis: columns.y, ...(columns.by === undefined ? {} : { group: columns.by }) }
  return {
    type: TYPE.query,
    name: title,
    content: {
      version: 'KqlItem/1.0',
      query,
      size: 0,
      title,
      timeContextFromParameter: 'TimeRange',
      queryType: 0,
      resourceType: RESOURCE_TYPE,
      visualization: picture,
      ...(chart === undefined ? {} : { chartSettings: chart }),
      noDataMessage: 'no rows in this time',
    },
  }
}
