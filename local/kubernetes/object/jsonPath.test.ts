import { describe, expect, it } from 'vitest'
import { compileJsonPath } from './jsonPath.ts'

const OBJECT = {
  metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'shop', plain: 'x' } },
  spec: { replicas: 3, containers: [{ name: 'a', size: 1 }, { name: 'b', size: 2 }, { name: 'c' }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Launched', status: 'False' },
    ],
  },
}

describe('a JSON path', () => {
  it.each<[string, readonly unknown[]]>([
    ['.spec.replicas', [3]],
    ['{.spec.replicas}', [3]],
    ['$.spec.replicas', [3]],
    ['spec.replicas', [3]],
    ['.spec.nothing.below', []],
    ['.spec.toString', []],
    [".metadata.labels['app.kubernetes.io/name']", ['shop']],
    ['.metadata.labels["plain"]', ['x']],
    ['.metadata.labels.app\\.kubernetes\\.io/name', ['shop']],
    ['.spec.containers[0].name', ['a']],
    ['.spec.containers[-1].name', ['c']],
    ['.spec.containers[9].name', []],
    ['.spec.containers[*].name', ['a', 'b', 'c']],
    ['.metadata.labels.*', ['shop', 'x']],
    ["{.status.conditions[?(@.type=='Ready')].status}", ['True']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ["{.status.conditions[?(@.type!='Ready')].type}", ['Launched']],
    ['.spec.containers[?(@.size)].name', ['a', 'b']],
    ['.spec.containers[?(@.size==1)].name', ['a']],
    ['.spec.containers[?(@.size!=1)].name', ['b']],
    ['.spec.containers[?(@.size<2)].name', ['a']],
    ['.spec.containers[?(@.size<=2)].name', ['a', 'b']],
    ['.spec.containers[?(@.size>1)].name', ['b']],
    ['.spec.containers[?(@.size>=1)].name', ['a', 'b']],
    ['.', [OBJECT]],
  ])('%s finds %j', (path, found) => expect(compileJsonPath(path)?.(OBJECT)).toEqual(found))

  it.each(['.spec[', '.a[?(b)]', '.a[?(@.b=~1)]'])('%s is none', (path) => expect(compileJsonPath(path)).toBeUndefined())
})
