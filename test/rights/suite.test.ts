import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { STACK_VALUES } from '../../local/stack/installRights.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { HELM, render } from '../charts/helm.ts'
import { grantedTo, type Right } from '../charts/rights.ts'
import { rightsAfter } from '../charts/rightsPage.ts'
import { readAuditRows, type Subject } from '../e2e/auditRows.ts'

const SCENARIOS = join(repositoryRoot, 'test/e2e')
/** The name of each subject in the objects of the chart. */
const GRANTED_AS = { app: STACK_VALUES.app.objectId, shim: 'joiner-shim' } as const

const rows = readAuditRows()
const CAN_COMPARE = rows.length > 0 && HELM !== undefined
const WHY_NOT = CAN_COMPARE ? '' : ' (skipped: no audit log; run `vitest run --project "end to end"` with a control plane and Helm built)'

const distinct = (rights: readonly Right[]): readonly Right[] => [...new Set(rights)].sort()

/** Runs after the end-to-end tests, on the rows that they stored. */
describe.skipIf(!CAN_COMPARE)(`the audit log of the end-to-end tests, compared with the rules of the chart${WHY_NOT}`, () => {
  it('is that of all scenarios on a real control plane', () => {
    const wanted = readdirSync(SCENARIOS).filter(
      (name) => name.endsWith('.test.ts') && /\bon(Each|Real)?Cluster\(/.test(readFileSync(join(SCENARIOS, name), 'utf8')),
    )
    expect(distinct(rows.map(({ scenarios }) => scenarios))).toEqual(wanted.sort())
  })

  const subjects: readonly (readonly [Subject, string])[] = [
    ['app', '\n## The app'],
    ['shim', '\n## The shim'],
  ]
  describe.each(subjects)('the %s', (subject, heading) => {
    const used = distinct(rows.flatMap((row) => row[subject].used))

    it('was denied nothing', () => {
      expect(distinct(rows.flatMap((row) => row[subject].denied))).toEqual([])
    })

    it('had no right but those of the chart', async () => {
      const granted = grantedTo(GRANTED_AS[subject], await render(STACK_VALUES))
      expect(used.filter((right) => !granted.includes(right) && !OF_EVERYBODY.includes(right))).toEqual([])
    })

    it('used every right, but for those that docs/rights.md says are for rare times', async () => {
      const rare = rightsAfter(`${heading}: rarely used`)
      const granted = grantedTo(GRANTED_AS[subject], await render(STACK_VALUES))
      expect(granted.filter((right) => !used.includes(right) && !rare.includes(right))).toEqual([])
    })
  })
})

/** Rights that every authenticated user has. The stack makes this request to see whether the API server accepts the app's tokens. */
const OF_EVERYBODY: readonly Right[] = ['create authentication.k8s.io/selfsubjectreviews']
