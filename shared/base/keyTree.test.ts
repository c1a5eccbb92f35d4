import { describe, expect, it } from 'vitest'
import { createKeyTree } from './keyTree.ts'

describe('a key tree', () => {
  it('finds the value made for the same keys', () => {
    const tree = createKeyTree<string[]>(() => [])
    tree.at([1, 'a', undefined]).push('first')
    expect(tree.at([1, 'a', undefined])).toEqual(['first'])
  })

  it('tells keys apart by kind and by place', () => {
    const tree = createKeyTree<string[]>(() => [])
    tree.at([1, 'a']).push('first')
    expect(tree.at(['1', 'a'])).toEqual([])
    expect(tree.at(['a', 1])).toEqual([])
    expect(tree.at([1, undefined])).toEqual([])
  })
})
