import { describe, expect, it } from 'vitest'
import { testNode } from '../cluster/testing/objects.ts'
import { parseAppLine } from './appLine.ts'
import { printNodes } from './printNodes.ts'

const node = (ready?: { readonly status: string; readonly message?: string; readonly reason?: string }) =>
  testNode('a', {
    status: { conditions: [{ type: 'Other', status: 'True' }, ...(ready === undefined ? [] : [{ type: 'Ready', ...ready }])] },
  })
const READY = { status: 'True' }

function told() {
  const lines: string[] = []
  let now = 1_000
  const teller = printNodes({ print: (line) => void lines.push(line), now: () => now })
  return {
    lines,
    seen: teller.seen,
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('the demo, of nodes', () => {
  it('tells that a node joined, was ready and is gone, each once', () => {
    const { lines, seen, pass } = told()
    seen(node(), undefined)
    pass(2_500)
    seen(node(READY), node())
    seen(node(READY), node(READY))
    seen(undefined, node(READY))
    expect(lines).toEqual(['node a joined', 'node a is ready, 2.5 s after it joined', 'node a is gone'])
  })

  it('begins anew for a node of a name that was there before', () => {
    const { lines, seen, pass } = told()
    for (let time = 0; time < 2; time++) {
      seen(node(), undefined)
      pass(1_000)
      seen(node(READY), node())
      seen(undefined, node(READY))
    }
    expect(lines.filter((line) => line.includes('ready'))).toEqual(
      Array.from({ length: 2 }, () => 'node a is ready, 1.0 s after it joined'),
    )
  })

  it.each([
    [{ status: 'False', message: 'no network', reason: 'NetworkNotReady' }, 'no network'],
    [{ status: 'Unknown', reason: 'NodeStatusUnknown' }, 'NodeStatusUnknown'],
    [undefined, 'its kubelet says nothing'],
  ])('says why a node is no longer ready: %j', (state, why) => {
    const { lines, seen } = told()
    seen(node(READY), undefined)
    seen(node(state), node(READY))
    expect(lines.at(-1)).toBe(`node a is no longer ready: ${why}`)
  })

  it('says nothing of nodes that nobody knew', () => {
    const { lines, seen } = told()
    seen(undefined, undefined)
    expect(lines).toEqual([])
  })
})

describe('a line of the functions host', () => {
  const own = { at: 1, level: 'info', message: 'hello', cluster: 'local' }

  it('is of the app, wrapped by the host or not', () => {
    const line = { at: 1, level: 'info', message: 'hello', fields: own }
    expect(parseAppLine(JSON.stringify(own))).toEqual(line)
    expect(parseAppLine(JSON.stringify({ category: 'Worker.Console', message: JSON.stringify(own) }))).toEqual(line)
  })

  it.each([
    'hello',
    '{',
    ' {}',
    '[]',
    '{}',
    JSON.stringify({ ...own, at: '1' }),
    JSON.stringify({ ...own, level: 'loud' }),
    JSON.stringify({ ...own, message: 7 }),
    JSON.stringify({ category: 'Worker.Console', message: 'hello' }),
    JSON.stringify({ category: 'Other', message: JSON.stringify(own) }),
  ])('is not: %s', (text) => expect(parseAppLine(text)).toBeUndefined())
})
