import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'

/** Code that calls other systems. One call for each item of a list would make as many calls as the cluster has objects. */
const SOURCES = 'shared/{flows,adapters}/**/*.ts'
const PROGRAMS = 'functions/**/*.ts'

/** Finds `Promise.all(` and its siblings, unless the argument is an array literal without a spread. */
function unboundedCalls(source: string): readonly string[] {
  return [...source.matchAll(/Promise\.(?:all|allSettled|any|race)\(\s*/g)].flatMap(({ 0: call, index }) => {
    const argument = argumentAt(source, index + call.length)
    return isWrittenOut(argument) ? [] : [`${call.trim()}${argument.split('\n')[0]}`]
  })
}

/** Reports whether the argument is an array literal without a spread. `map` on such an array adds no items. */
function isWrittenOut(argument: string): boolean {
  if (!argument.startsWith('[')) return false
  const items = argumentAt(argument, 1)
  const rest = argument.slice(argument.indexOf(items) + items.length).replace(/^[\s,]*\]/, '')
  return !hasSpread(items) && (rest === '' || rest.startsWith('.map('))
}

/** Reports whether one of the items is a spread list. Spreads inside an item do not count. */
function hasSpread(items: string): boolean {
  let depth = 0
  for (const [index, sign] of items.split('').entries()) {
    if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign)) depth--
    else if (depth === 0 && items.startsWith('...', index)) return true
  }
  return false
}

/** The source from `start` up to the bracket that closes the call. */
function argumentAt(source: string, start: number): string {
  let depth = 1
  let end = start
  for (; end < source.length && depth > 0; end++) {
    const sign = source[end] ?? ''
    if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign)) depth--
  }
  return source
    .slice(start, end - 1)
    .trim()
    .replace(/,$/, '')
}

describe('calls beside each other', () => {
  it.each([
    ['Promise.all(claims.map((claim) => api.get(claim)))', 1],
    ['Promise.allSettled([first(), ...rest.map(second)])', 1],
    ['Promise.all([first, second].concat(more).map(read))', 1],
    ['Promise.all(["a", "b"].map(read))', 0],
    ['Promise.all([ring(0), send({ ...deps, cluster })])', 0],
    ['await Promise.all([\n  first(),\n  second(list.map(each)),\n])', 0],
    ['Promise.race([renewing, slept(clock, 5)])', 0],
  ])('are told from a list written out: %s', (source, count) => {
    expect(unboundedCalls(source)).toHaveLength(count)
  })

  it('have a bound: settleBounded and mapBounded of shared/base/concurrency.ts take lists', () => {
    const found = globSync([SOURCES, PROGRAMS], { cwd: repositoryRoot })
      .filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/'))
      .flatMap((path) => unboundedCalls(readFileSync(join(repositoryRoot, path), 'utf8')).map((call) => `${path}: ${call}`))
    expect(found).toEqual([])
  })
})
