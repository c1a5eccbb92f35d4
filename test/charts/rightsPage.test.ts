import { describe, expect, it } from 'vitest'
import { HELM, render, WITHOUT_HELM } from './helm.ts'
import { grantedTo, rightsOf } from './rights.ts'
import { PAGE, rightsAfter, rowsAfter } from './rightsPage.ts'
import { APP_OBJECT_ID, COSTING, REQUIRED } from './valueSets.ts'

describe.skipIf(HELM === undefined)(`docs/rights.md${WITHOUT_HELM}`, () => {
  it('lists every right of the app, and no other', async () => {
    expect(rightsAfter('\n## The app')).toEqual(grantedTo(APP_OBJECT_ID, await render(REQUIRED)))
  })

  it('lists what deletion costs of pods need, which is one right more', async () => {
    const [costing, plain] = [grantedTo(APP_OBJECT_ID, await render(COSTING)), grantedTo(APP_OBJECT_ID, await render(REQUIRED))]
    expect(rightsAfter('\n## The app: deletion costs of pods')).toEqual(costing.filter((right) => !plain.includes(right)))
    expect(costing.filter((right) => right.endsWith(' core/pods'))).toEqual(['delete core/pods', 'list core/pods', 'patch core/pods'])
  })

  it('lists every right of the shim, and no other', async () => {
    expect(rightsAfter('\n## The shim')).toEqual(grantedTo('joiner-shim', await render(REQUIRED)))
  })

  it('lists what users get, and what machines that join are bound to', async () => {
    const objects = await render(REQUIRED)
    for (const role of ['view', 'admin']) {
      expect(rightsAfter(`\nRole \`<release>-${role}\``)).toEqual(
        rightsOf(objects.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === `joiner-${role}`)?.rules ?? []),
      )
    }
    const joining = objects.filter(({ subjects = [] }) => subjects.some(({ name }) => name === 'system:bootstrappers:joiner'))
    for (const { roleRef } of joining) expect(PAGE).toContain(`| \`${roleRef?.name}\` `)
    expect(joining).toHaveLength(2)
  })

  it('lists what readers get, who are nobody unless the values name them', async () => {
    const subjects = [{ kind: 'Group', name: 'on-call', apiGroup: 'rbac.authorization.k8s.io' }]
    const right = rightsAfter('\nRole `<release>-reader`')
    expect(right).toHaveLength(2)
    expect(right).toEqual(grantedTo('on-call', await render({ ...REQUIRED, reader: { subjects } })))
    const objects = await render(REQUIRED)
    expect(objects.filter(({ kind, roleRef }) => kind === 'RoleBinding' && roleRef?.name === 'joiner-reader')).toEqual([])
    const names = objects.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'joiner-reader')?.rules
    expect(names?.map(({ resourceNames }) => resourceNames)).toEqual([['joiner-reader'], ['joiner-reader']])
  })

  it('knows every role and every subject of the chart', async () => {
    const objects = await render(REQUIRED)
    const roles = objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role').map(({ metadata }) => metadata.name)
    expect([...new Set(roles)].sort()).toEqual(['joiner-admin', 'joiner-app', 'joiner-reader', 'joiner-shim', 'joiner-view'])
    const subjects = objects.flatMap(({ subjects: all = [] }) => all.map(({ name }) => name))
    expect([...new Set(subjects)].sort()).toEqual([APP_OBJECT_ID, 'joiner-shim', 'system:bootstrappers:joiner'])
  })

  it('gives a reason for each', () => {
    for (const heading of [
      '\n## The app',
      '\n## The app: deletion costs of pods',
      '\n## The shim',
      '\nRole `<release>-view`',
      '\nRole `<release>-admin`',
      '\nRole `<release>-reader`',
    ])
      expect(rowsAfter(heading).filter(({ why }) => why.length < 8)).toEqual([])
  })

  it('and the chart know no wildcard', async () => {
    const rights = (await render(REQUIRED)).flatMap(({ rules = [] }) => rightsOf(rules))
    expect(rights.filter((right) => right.includes('*'))).toEqual([])
  })
})
