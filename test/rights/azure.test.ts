import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rolesOf } from '../../infra/rights/assignments.ts'
import { builtInRoles, HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import { actionRows } from '../../infra/rights/page.ts'
import { accessOf, appResourceId, evaluateForStack } from '../../infra/rights/stackTemplate.ts'
import { hasKubectl } from '../../local/kubernetes/testing/kubectl.ts'
import { APP_IDENTITY } from '../../local/stack/identities.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { readAzureRows } from '../e2e/azureRows.ts'

const SCENARIOS = join(repositoryRoot, 'test/e2e')

const left = readAzureRows()
const rows = left.flatMap(({ rows: all }) => all)
const WHY_NOT = rows.length > 0 ? '' : ' (skipped: nothing was asked of ARM; run `vitest run --project "end to end"`)'
const known = builtInRoles()

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort()
const used = distinct(rows.map(({ action }) => action))

/** Runs after the end-to-end tests, on the rows that they stored. */
describe.skipIf(rows.length === 0)(`the actions that ARM asked for in the end-to-end tests, compared with the template${WHY_NOT}`, () => {
  it('are those of all scenarios', () => {
    const wanted = readdirSync(SCENARIOS).filter(
      (name) => name.endsWith('.test.ts') && /^on(Each)?Cluster\(/m.test(readFileSync(join(SCENARIOS, name), 'utf8')),
    )
    const ran = new Set(left.map(({ scenarios }) => scenarios))
    expect(wanted.filter((name) => !ran.has(name) && (hasKubectl() || name !== 'kubectl.test.ts'))).toEqual([])
    expect(wanted.length).toBeGreaterThan(5)
  })

  it('were asked of the app, and granted', () => {
    expect(distinct(rows.flatMap(({ isGranted, action, scope }) => (isGranted ? [] : [`${action} ${scope}`])))).toEqual([])
    expect(distinct(rows.map(({ principalId }) => principalId))).toEqual([APP_IDENTITY.objectId])
  })

  it('are all that the roles hold, but for those that docs/rights.md says are for rare times', async () => {
    const evaluation = await evaluateForStack('custom')
    const granted = distinct(rolesOf(evaluation).definitions.flatMap(({ actions }) => actions))
    const rare = actionRows('Rarely used in Azure').map(({ action }) => action)
    expect(granted.length).toBeGreaterThan(15)
    expect(granted.filter((action) => !used.includes(action) && !rare.includes(action))).toEqual([])
    expect(rare.filter((action) => used.includes(action))).toEqual([])
  })

  describe.each(['custom', 'builtIn'] as const)('with rbac=%s', (rbac) => {
    it.skipIf(rbac === 'builtIn' && !HAS_BUILT_IN_ROLES)('are granted by the template', async () => {
      const evaluation = await evaluateForStack(rbac)
      const access = accessOf(evaluation, known)
      const app = appResourceId(evaluation)
      const denied = rows.filter(({ action, scope }) => !access.judge(app, { own: { action, scope }, linked: [] }).isGranted)
      expect(distinct(denied.map(({ action, scope }) => `${action} ${scope}`))).toEqual([])
    })
  })
})
