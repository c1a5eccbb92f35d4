import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { TRUST } from '../../shared/flows/rest.ts'
import { alertsFile, SILENT_MINUTES, writtenAlerts } from './alerts.ts'
import { createKusto } from './kusto.ts'

const bind = createKusto()

describe.each(writtenAlerts().map((alert) => [alert.name, alert] as const))('alert %s', (name, { query, dimensions, runbook }) => {
  it('binds, and has the columns that tell its alarms apart', () => {
    const { problems, columns } = bind(query)
    expect(problems).toEqual([])
    // A dimension of an alert must be a text.
    expect(dimensions.map((each) => columns[each])).toEqual(dimensions.map(() => 'string'))
  })

  it('has a page that says what to do', () => {
    expect(existsSync(join(repositoryRoot, runbook))).toBe(true)
    expect(readFileSync(join(repositoryRoot, runbook), 'utf8')).toContain(`\`${name}\``)
  })
})

describe('the alerts', () => {
  it('take no cluster at rest for a silent one', () => {
    const sent = 5
    expect(SILENT_MINUTES).toBeGreaterThan(TRUST.withoutMachines / 60_000 + sent)
  })

  it('are what the template reads', () => {
    expect(readFileSync(join(repositoryRoot, 'infra/alerts/alerts.json'), 'utf8'), 'run npm run generate').toBe(alertsFile())
  })

  it('have names of their own, and no page is about another', () => {
    const ofTemplate = [
      ...readFileSync(join(repositoryRoot, 'infra/modules/alerts.bicep'), 'utf8').matchAll(/docs\/runbooks\/([\w-]+\.md)/g),
    ].map(([, page]) => page)
    const names = [...writtenAlerts().map(({ name }) => `${name}.md`), ...ofTemplate]
    expect(readdirSync(join(repositoryRoot, 'docs/runbooks')).sort()).toEqual([...new Set(names)].sort())
  })
})
