import { describe, expect, it } from 'vitest'
import { KEPT_PATHS } from '../shared/wire/kept/keptPaths.ts'
import { KEPT_LISTS, type KeptLists } from '../shared/wire/kept/told.ts'
import { KIND_PATHS } from './kinds.ts'
import { keptReducer } from './sync/keptReducer.ts'
import type { FakeApp } from './testing/fakeApp.ts'
import { setUp, start } from './testing/forwarderWorld.ts'

const PODS = KIND_PATHS.pod.path
const POD = {
  metadata: { name: 'a', namespace: 'default', uid: 'u' },
  spec: { containers: [{ name: 'main', env: [{ name: 'TOKEN', value: 'a-secret' }] }], hostUsers: true },
}
const LATER: KeptLists = {
  number: KEPT_LISTS.number + 1,
  kinds: { ...KEPT_PATHS, pod: { metadata: { name: true, namespace: true }, spec: { hostUsers: true } } },
}

const tells = (app: FakeApp, kept: unknown): void => app.answerNext({ status: 202, body: { accepted: 1, rejected: [], kept } })
const held = (app: FakeApp): unknown => app.model.objects().get('pod default/a')

describe('a shim that is told later lists of kept paths', () => {
  it('begins again with a snapshot of what they keep, and follows them', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, POD)
    tells(app, LATER)
    const shim = start(kube, app, {}, { reduceBy: keptReducer })
    await app.until(() => app.posted.some(({ kept }) => kept === LATER.number))
    expect(app.posted.map(({ kept, body }) => [kept, body.kind])).toEqual([
      [KEPT_LISTS.number, 'snapshot'],
      [LATER.number, 'snapshot'],
    ])
    expect(app.posted[1]?.term).toBeGreaterThan(app.posted[0]?.term ?? 0)
    expect(held(app)).toEqual({ metadata: { name: 'a', namespace: 'default' }, spec: { hostUsers: true } })
    kube.put(PODS, { ...POD, spec: { hostUsers: false } })
    await app.until(() => JSON.stringify(held(app)).includes('"hostUsers":false'))
    await expect.poll(() => shim.unreadyReasons()).toEqual([])
  })

  it.each<[sentence: string, lists: unknown]>([
    ['earlier ones', { ...LATER, number: KEPT_LISTS.number }],
    ['such as keep what may be a secret', { number: 9, kinds: { pod: { metadata: true, spec: { containers: true } } } }],
    ['nothing', null],
    ['lists without a number', { kinds: KEPT_PATHS }],
    ['a number that is none', { ...LATER, number: 2.5 }],
    ['lists without kinds', { number: 9 }],
    ['lists of another form', { number: 9, kinds: { pod: 'all' } }],
    ['a test of another kind', { number: 9, kinds: { pod: [{ where: [{ at: ['spec'], like: 'a' }], keep: true }] } }],
    ['lists that lose the name', { number: 9, kinds: { pod: { spec: true } } }],
  ])('is not led away by %s', async (_sentence, lists) => {
    const { kube, app } = await setUp()
    kube.put(PODS, POD)
    tells(app, lists)
    start(kube, app, {}, { reduceBy: keptReducer })
    await app.until(() => app.posted.length === 1)
    tells(app, lists)
    kube.put(PODS, { ...POD, spec: { ...POD.spec, priority: 7 } })
    await app.until(() => JSON.stringify(held(app)).includes('"priority":7'))
    expect(app.posted.map(({ kept, term }) => [kept, term])).toEqual(app.posted.map(() => [KEPT_LISTS.number, app.posted[0]?.term]))
    expect(JSON.stringify(app.posted)).not.toContain('a-secret')
  })
})

it('a shim that is newer than the app waits for the upgrade of the app, says so, and loses nothing', async () => {
  const { kube, app } = await setUp()
  kube.put(PODS, POD)
  const refusal = {
    code: 'INPUT.UNSUPPORTED_VERSION',
    message: 'envelope: version 2 is newer than this program knows (1); update the program',
  }
  app.answerNext(...Array.from({ length: 5 }, () => ({ status: 400, body: refusal })))
  const shim = start(kube, app, {}, { reduceBy: keptReducer })
  await expect.poll(() => shim.unreadyReasons()).toContainEqual(expect.stringContaining('update the program'))
  await app.until(() => app.posted.length > 0)
  expect(held(app)).toMatchObject({ metadata: { name: 'a' } })
  await expect.poll(() => shim.unreadyReasons()).toEqual([])
})
