import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpResponseInit } from '@azure/functions'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Problem, problem } from '../shared/model/problem.ts'
import { readConfig, SETTINGS } from './config.ts'
import type { FunctionApp } from './functionApp.ts'
import { refuseToStart } from './refuseToStart.ts'
import { createTestApp } from './testing/testApp.ts'

const sample: { readonly Values: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'local.settings.sample.json'), 'utf8'),
)
/** Settings whose values are secrets. */
const SECRETS = ['AzureWebJobsStorage', 'APPLICATIONINSIGHTS_CONNECTION_STRING']

type Route = { readonly methods: readonly string[]; readonly authLevel: string; readonly route: string }

function refused(problems: readonly Problem[]) {
  const lines: string[] = []
  const routes = new Map<string, Route>()
  const answers = new Map<string, () => Promise<HttpResponseInit>>()
  const http = (name: string, { handler, ...route }: Route & { readonly handler: () => Promise<HttpResponseInit> }): void => {
    routes.set(name, route)
    answers.set(name, handler)
  }
  refuseToStart(problems, { http } as unknown as Pick<FunctionApp, 'http'>, (line) => lines.push(line))
  return { lines, routes, ask: async (name: string) => answers.get(name)?.() }
}

function problemsOf(changes: Record<string, string | undefined>): readonly Problem[] {
  const read = readConfig({ ...sample.Values, ...changes })
  return read.ok ? [] : read.error
}

describe('an app with refused settings', () => {
  it('writes a line for each problem that the host takes for an error', () => {
    const problems = ['setting A: is\n  wrong', 'setting B: is missing'].map((message) => problem('SETTING.INVALID', message))
    expect(refused(problems).lines).toEqual(['error: setting A: is wrong', 'error: setting B: is missing'])
  })

  it('tells holders of a function key code, field, rule and remedy of each problem', async () => {
    const answer = await refused(problemsOf({ JOINER_CLUSTERS: undefined, GC_SCHEDULE: 'often' })).ask('status')
    expect(answer).toEqual({
      status: 503,
      jsonBody: {
        status: 'refused',
        problems: [
          {
            code: 'SETTING.INVALID',
            field: 'JOINER_CLUSTERS',
            message: expect.stringMatching(/^setting JOINER_CLUSTERS: /),
            todo: expect.stringMatching(/^correct JOINER_CLUSTERS: .*azd up.*docs\/reference\.md/),
          },
          expect.objectContaining({ field: 'GC_SCHEDULE', message: expect.stringMatching(/^setting GC_SCHEDULE: must be an NCRONTAB/) }),
        ],
      },
    })
  })

  it.each([
    [{ JOINER_CLUSTERS: '[{"id":"UPPER","resourceId":"x"}]' }, 'JOINER_CLUSTERS[0].id', /^correct JOINER_CLUSTERS: /],
    [{ JOINER_CLUSTERS: '[{' }, 'JOINER_CLUSTERS', /^correct JOINER_CLUSTERS: /],
    [{ AzureWebJobsStorage: '' }, 'AzureWebJobsStorage__accountName', /^correct AzureWebJobsStorage__accountName: /],
    [{ DEFAULT_SPREAD: '[{}]' }, 'DEFAULT_SPREAD.0.maxSkew', /^correct DEFAULT_SPREAD: /],
  ])('names the place in %j: %s', async (changes, field, todo) => {
    const answer = await refused(problemsOf(changes)).ask('status')
    expect(answer?.jsonBody).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ field, todo: expect.stringMatching(todo) })]),
    })
  })

  it('answers on every HTTP route of the app that works, with the same methods and keys, and on no other', () => {
    const works = Object.fromEntries(createTestApp().httpRoutes)
    expect(Object.fromEntries(refused([problem('SETTING.INVALID', 'x')]).routes)).toEqual(works)
  })

  it('tells callers without a key the names of the settings, and nothing of a value', async () => {
    const { routes, ask } = refused(problemsOf({ JOINER_CLUSTERS: '[{"id":"hidden"}]', GC_SCHEDULE: 'hidden' }))
    const open = [...routes].filter(([, { authLevel }]) => authLevel === 'anonymous').map(([name]) => name)
    expect(open).toEqual(['cluster-status', 'events', 'explain'])
    for (const name of open) {
      const { status, body } = (await ask(name)) ?? {}
      expect([status, JSON.parse(String(body))]).toEqual([
        503,
        {
          code: 'SETTING.INVALID',
          message: expect.stringMatching(/^the function app refuses its settings \(GC_SCHEDULE\) and does no work/),
        },
      ])
    }
  })

  it('tells callers without a key no more than names of settings, whatever the settings are', async () => {
    const names = Object.keys(SETTINGS.shape)
    const value = fc.oneof(fc.string({ minLength: 1 }), fc.json(), fc.constant('[{"id":"shop","additionalTags":{"a b":1}}]'))
    const some = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(some, async (changes) => {
        const body = String((await refused(problemsOf(changes)).ask('cluster-status'))?.body)
        const [, told = 'nothing'] = /refuses its settings \(([^)]*)\) and does no work/.exec(body) ?? []
        expect(['', ...names]).toEqual(expect.arrayContaining(told.split(', ')))
      }),
    )
  })

  it('tells no secret, whatever the settings are', async () => {
    const names = Object.keys(SETTINGS.shape)
    const value = fc.oneof(fc.string({ minLength: 8 }), fc.json(), fc.constantFrom('InstrumentationKey', 'not-a-key-12345678'))
    const some = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
    const secrets = fc.record(Object.fromEntries(SECRETS.map((name) => [name, fc.uuid().map((key) => `AccountKey=${key}`)])))
    await fc.assert(
      fc.asyncProperty(some, secrets, async (changes, hidden) => {
        const { lines, ask } = refused(problemsOf({ ...changes, ...hidden }))
        const told = JSON.stringify([lines, await ask('status')])
        for (const name of SECRETS) expect(told).not.toContain(hidden[name])
      }),
    )
  })
})
