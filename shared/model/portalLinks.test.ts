import { describe, expect, it } from 'vitest'
import { SOME_LINKS } from '../../test/builders/links.ts'
import { nodeClaimName } from './ids.ts'
import { decisionLink, machineLink, machineNamedLink, workbookLink } from './portalLinks.ts'

const LINKS = SOME_LINKS
const GROUP = LINKS.machineGroupId

describe('a link to the portal', () => {
  it('opens the workbook', () => {
    expect(workbookLink(LINKS)).toBe(`https://portal.azure.com/#@t/resource${GROUP}/providers/Microsoft.Insights/workbooks/w/workbook`)
  })

  it('opens the machine of a claim, by the name that a new one has, or by its own', () => {
    const machines = `https://portal.azure.com/#@t/resource${GROUP}/providers/Microsoft.Compute/virtualMachines`
    expect(machineLink(LINKS, nodeClaimName('default-a'))).toBe(`${machines}/joiner-default-a`)
    expect(machineNamedLink(LINKS, 'aks-default-b')).toBe(`${machines}/aks-default-b`)
  })

  it('opens the logs with what was told of a decision, where the workspace is known', () => {
    const link = decisionLink(LINKS, 'prod', 7) ?? ''
    const [, resource = '', query = ''] =
      /resourceId\/([^/]+)\/source\/LogsBlade\.AnalyticsShareLinkToQuery\/query\/([^/]+)\/timespan\/P30D$/.exec(link) ?? []
    expect(decodeURIComponent(resource)).toBe(LINKS.workspaceId)
    expect(decodeURIComponent(query)).toBe(
      'AppEvents | where Properties.cluster == "prod" and Properties.decision == "7" | order by TimeGenerated asc',
    )
    const { workspaceId: _, ...without } = LINKS
    expect(decisionLink(without, 'prod', 7)).toBeUndefined()
  })
})
