import { describe, expect, it } from 'vitest'
import { valueOf } from '../testing/inMemory.ts'

describe('expressions', () => {
  it.each<[string, unknown]>([
    ["'a${1}b${true}c${null}'", 'a1bTruec'],
    ["'${[1, 'x']}'", '[1,"x"]'],
    ['1 + 2 * 3 - 7 / 2 % 2', 6],
    ["'B' =~ 'b'", true],
    ["'B' !~ 'b'", false],
    ["'B' == 'b'", false],
    ['[1, { a: [2] }] == [1, { a: [2] }]', true],
    ['{ a: 1 } != { a: 1, b: 2 }', true],
    ["'a' < 'b'", true],
    ['2 <= 1', false],
    ['2 > 1', true],
    ['2 >= 3', false],
    ['null ?? 5', 5],
    ['false && missing', false],
    ['true || missing', true],
    ['false ? missing : 1', 1],
    ['!false', true],
    ['-(3)', -3],
    ['{ a: { b: 1 } }.a.b', 1],
    ["{ a: 1 }['a']", 1],
    ['{ a: 1 }.?b', null],
    ['{ a: 1 }.?b.?c ?? 3', 3],
    ['[1, 2][1]', 2],
    ['[1][?4]', null],
    ['[for x in [1, 2]: x * 2]', [2, 4]],
    ["[for (x, i) in ['a', 'b']: '${x}${i}']", ['a0', 'b1']],
    ['[for i in range(3, 2): i]', [3, 4]],
  ])('%s', async (text, expected) => {
    expect(await valueOf(text)).toEqual(expected)
  })

  it.each([
    ['missing', 'not declared'],
    ['{ a: 1 }.b', 'no property "b"'],
    ['[1][3]', 'no item 3'],
    ["'a' + 1", 'not for string and int'],
    ['1 / 0', 'division by zero'],
    ["'a' && true", 'not for string'],
    ["1 ? 'a' : 'b'", 'true or false'],
    ['nobodyKnows(1)', 'does not know the function nobodyKnows()'],
    ['toLower()', 'takes 1 to 1 arguments'],
    ['toLower(1)', 'string is needed'],
    ['[for x in 3: x]', 'goes over an array'],
    ['-true', 'not for bool'],
    ["{ a: 1, 'a': 2 }", 'there twice'],
    ['a', 'depends on itself'],
  ])('%s is refused', async (text, words) => {
    await expect(valueOf(text, text === 'a' ? 'var a = b\nvar b = a' : '')).rejects.toThrow(words)
  })
})

describe('functions', () => {
  it.each<[string, unknown]>([
    ["toUpper(trim(' a '))", 'A'],
    ["split('a/b,c', ['/', ','])", ['a', 'b', 'c']],
    ["replace('a.b.c', '.', '$&')", 'a$&b$&c'],
    ["startsWith('Abc', 'aB')", true],
    ["endsWith('Abc', 'x')", false],
    ["substring('abcdef', 2, 3)", 'cde'],
    ["substring('abc', 1)", 'bc'],
    ["indexOf('abcB', 'b')", 1],
    ["lastIndexOf('abcB', 'b')", 3],
    ["padLeft(7, 3, '0')", '007'],
    ["format('{1}-{0}', 'a', 2)", '2-a'],
    ["string({ a: [1, 'b'] })", '{"a":[1,"b"]}'],
    ["int('12')", 12],
    ["bool('True')", true],
    ['json(\'{"a":1}\')', { a: 1 }],
    ["join(['a', 'b'], '-')", 'a-b'],
    ["base64('ab')", 'YWI='],
    ["uriComponent('a b')", 'a%20b'],
    ["length('abc') + length([1]) + length({ a: 1 })", 5],
    ["[empty(''), empty([]), empty({}), empty(null), empty('a')]", [true, true, true, true, false]],
    ["[contains([1, 2], 2), contains({ a: 1 }, 'a'), contains('abc', 'bc'), contains([], 1)]", [true, true, true, false]],
    ["[first('ab'), last('ab'), first([1, 2]), last([1, 2])]", ['a', 'b', 1, 2]],
    ["[take('abc', 2), skip('abc', 2)]", ['ab', 'c']],
    ['[take([1, 2], 5), skip([1, 2], 1)]', [[1, 2], [2]]],
    ['concat([1], [2])', [1, 2]],
    ['flatten([[1], [2, 3]])', [1, 2, 3]],
    ['union([1, 2], [2, 3])', [1, 2, 3]],
    ['union({ a: { b: 1 } }, { a: { c: 2 } })', { a: { b: 1, c: 2 } }],
    ['intersection([1, 2], [2, 3])', [2]],
    [
      'items({ b: 1, a: 2 })',
      [
        { key: 'a', value: 2 },
        { key: 'b', value: 1 },
      ],
    ],
    ['objectKeys({ b: 1, a: 2 })', ['a', 'b']],
    ['min(3, 1) + max([2, 5])', 6],
    ['map([1, 2], x => x + 1)', [2, 3]],
    ["map(['a', 'b'], (x, i) => '${x}${i}')", ['a0', 'b1']],
    ['filter([1, 2, 3], x => x > 1)', [2, 3]],
    ['reduce([1, 2, 3], 0, (sum, x) => sum + x)', 6],
    ['sort([3, 1, 2], (a, b) => a < b)', [1, 2, 3]],
    ["toObject(['a', 'b'], x => x, x => length(x))", { a: 1, b: 1 }],
    ['mapValues({ a: 1 }, x => x + 1)', { a: 2 }],
    ['shallowMerge([{ a: 1 }, { b: 2 }])', { a: 1, b: 2 }],
    ["cidrSubnet('10.1.2.3/24', 26, 2)", '10.1.2.128/26'],
    ["utcNow('yyyy-MM-01')", '2026-01-01'],
    ['environment().suffixes.storage', 'core.windows.net'],
    ['environment().portal', 'https://portal.azure.com'],
    ['resourceGroup().name', 'rg'],
    ["resourceId('A.B/c/d', 'x', 'y')", '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/rg/providers/A.B/c/x/d/y'],
    ["resourceId('other', 'A.B/c', 'x')", '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/other/providers/A.B/c/x'],
    ["resourceId('s', 'other', 'A.B/c', 'x')", '/subscriptions/s/resourceGroups/other/providers/A.B/c/x'],
    ["subscriptionResourceId('A.B/c', 'x')", '/subscriptions/00000000-0000-4000-8000-000000000001/providers/A.B/c/x'],
    ["tenantResourceId('A.B/c', 'x')", '/providers/A.B/c/x'],
    ["extensionResourceId('/a/b', 'C.D/e', 'x')", '/a/b/providers/C.D/e/x'],
    ['tenant().tenantId == subscription().tenantId && deployer().tenantId == tenant().tenantId', true],
  ])('%s', async (text, expected) => {
    expect(await valueOf(text)).toEqual(expected)
  })

  it('uniqueString and guid are the same for the same texts, and differ for others', async () => {
    const [one, same, other] = [
      await valueOf("uniqueString('a', 'b')"),
      await valueOf("uniqueString('a', 'b')"),
      await valueOf("uniqueString('ab')"),
    ]
    expect(one).toMatch(/^[a-z2-7]{13}$/)
    expect(one).toBe(same)
    expect(one).not.toBe(other)
    expect(await valueOf("guid('a')")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it.each([
    ["cidrSubnet('10.1.2.3/24', 20, 0)", 'has no part'],
    ["cidrSubnet('10.1.2.3/24', 25, 2)", 'has no part'],
    ["cidrSubnet('10.1.2/24', 25, 0)", 'no block'],
    ["int('x')", 'no int'],
    ["bool('x')", 'no bool'],
    ["substring('abc', 2, 5)", 'no part'],
    ['filter([1], x => x)', 'true or false'],
    ["format('{1}', 1)", 'no argument {1}'],
    ["loadTextContent('none.txt')", 'no file'],
    ["resourceId('x', 'y')", 'no resource type'],
    ["resourceId('A.B/c/d', 'y')", 'needs 2'],
  ])('%s is refused', async (text, words) => {
    await expect(valueOf(text)).rejects.toThrow(words)
  })
})
