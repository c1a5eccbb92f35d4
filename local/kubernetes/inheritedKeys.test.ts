import { describe, expect, it } from 'vitest'
import { hasKubectl, withKubectl } from './testing/kubectl.ts'
import { pod } from './testing/samples.ts'
import { withServer } from './testing/withServer.ts'

/** Keys that plain objects inherit, and that Kubernetes accepts as labels. */
const KEYS = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']
const PODS = '/api/v1/namespaces/default/pods'
const MAPS = '/api/v1/namespaces/default/configmaps'
const STRATEGIC = { type: 'application/strategic-merge-patch+json' }
const APPLY = { type: 'application/apply-patch+yaml' }

describe.each(KEYS)('a label %s', (key) => {
  it('is selected where it is, and nowhere else', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', PODS, pod('with', {}, { labels: { [key]: 'x' } }))
      await call('POST', PODS, pod('without'))
      const names = async (selector: string) => {
        const { body } = await call('GET', `${PODS}?labelSelector=${encodeURIComponent(selector)}`)
        return [...JSON.stringify(body).matchAll(/"name":"(with|without)"/g)].map(([, name]) => name)
      }
      expect(await names(key)).toEqual(['with'])
      expect(await names(`!${key}`)).toEqual(['without'])
      expect(await names(`${key}=x`)).toEqual(['with'])
      expect(await names(`${key} in (x, y)`)).toEqual(['with'])
      expect(await names(`${key}!=x`)).toEqual(['without'])
    })
  })

  it('is set and removed by each kind of patch', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', PODS, pod('a'))
      for (const options of [{}, STRATEGIC]) {
        const set = await call('PATCH', `${PODS}/a`, { metadata: { labels: { [key]: 'x' }, annotations: { [key]: 'y' } } }, options)
        expect(set.body).toMatchObject({ metadata: { labels: { [key]: 'x' }, annotations: { [key]: 'y' } } })
        const removed = await call('PATCH', `${PODS}/a`, { metadata: { labels: { [key]: null }, annotations: { [key]: null } } }, options)
        expect(JSON.stringify(removed.body)).not.toContain(`"${key}"`)
      }
      const path = `${PODS}/a?fieldManager=me`
      const applied = await call('PATCH', path, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { [key]: 'x' } } }, APPLY)
      expect(applied.body).toMatchObject({ metadata: { labels: { [key]: 'x' } } })
      const given = await call('PATCH', path, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, APPLY)
      expect(JSON.stringify(Object(given.body).metadata.labels ?? {})).toBe('{}')
    })
  })
})

describe('a key __proto__', () => {
  it('of a ConfigMap is stored, changed and removed', async () => {
    await withServer({}, async ({ call }) => {
      const data = (text: string): unknown => JSON.parse(`{"metadata":{"name":"a"},"data":{"b":"1","__proto__":${text}}}`)
      const stored = async () => JSON.stringify(Object((await call('GET', `${MAPS}/a`)).body).data)
      await call('POST', MAPS, data('"2"'))
      expect(await stored()).toBe('{"b":"1","__proto__":"2"}')
      await call('PATCH', `${MAPS}/a`, data('"3"'))
      expect(await stored()).toBe('{"b":"1","__proto__":"3"}')
      await call('PATCH', `${MAPS}/a`, data('"4"'), STRATEGIC)
      expect(await stored()).toBe('{"b":"1","__proto__":"4"}')
      await call('PATCH', `${MAPS}/a`, data('null'))
      expect(await stored()).toBe('{"b":"1"}')
    })
  })
})

describe('kubectl (skipped where it is not installed)', () => {
  it.skipIf(!hasKubectl())('labels and selects with such keys', async () => {
    await withKubectl(async ({ run }) => {
      await run('apply -f -', pod('a', {}, { labels: { constructor: 'x' } }))
      await run('apply -f -', pod('b'))
      expect((await run('label pod b toString=y')).out).toBe('pod/b labeled\n')
      expect((await run('get pods -l constructor -o name')).out).toBe('pod/a\n')
      expect((await run('get pods -l toString=y -o name')).out).toBe('pod/b\n')
      expect((await run('get pods -L constructor,valueOf')).code).toBe(0)
      expect((await run('label pod b toString-')).out).toBe('pod/b unlabeled\n')
      expect((await run('get pods -l toString -o name')).out).toBe('')
    })
  })
})
