import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAmount, formatQuantity, parseQuantity, type Quantity, resourceAmount } from './quantity.ts'

function parsed(text: string): Quantity {
  const result = parseQuantity(text)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

const canonical = (text: string): string => formatQuantity(parsed(text))

describe('canonical form', () => {
  const table = {
    '0': '0',
    '0Gi': '0',
    '-0': '0',
    '+1': '1',
    '1.': '1',
    '.5': '500m',
    '0.1': '100m',
    '1.5': '1500m',
    '1.5Gi': '1536Mi',
    '1024': '1024',
    '1024Ki': '1Mi',
    '1023Ki': '1023Ki',
    '0.5Ki': '512',
    '0.3Ki': '307200m',
    '1000Ki': '1000Ki',
    '1000': '1k',
    '1000000M': '1T',
    '1500k': '1500k',
    '1e3': '1e3',
    '12e4': '120e3',
    '1E3': '1e3',
    '1E': '1E',
    '1Ei': '1Ei',
    '1000E': '1000E',
    '100n': '100n',
    '0.1n': '1n',
    '-0.1n': '-1n',
    '1u': '1u',
    '1000u': '1m',
    '-1.5Gi': '-1536Mi',
    '0.5Mi': '512Ki',
    '64Ei': '9223372036854775807',
    '00012': '12',
    '1e-3': '1e-3',
    '1.5e0': '1500e-3',
  }
  for (const [text, want] of Object.entries(table)) it(`${text} prints as ${want}`, () => expect(canonical(text)).toBe(want))
})

describe('refusals', () => {
  const table: { [text: string]: string } = {
    '': 'quantities must match',
    '.': 'quantities must match',
    '+': 'quantities must match',
    abc: 'quantities must match',
    '1 Gi': 'quantities must match',
    '1.2.3': 'quantities must match',
    '--1': 'quantities must match',
    '1GiB': 'quantities must match',
    '1ki': "unable to parse quantity's suffix",
    '1K': "unable to parse quantity's suffix",
    '1mi': "unable to parse quantity's suffix",
    '1e': "unable to parse quantity's suffix",
    '1m5': "unable to parse quantity's suffix",
    '1e999999999': 'unable to parse numeric part',
    [`1${'0'.repeat(200)}`]: 'unable to parse numeric part',
  }
  for (const [text, want] of Object.entries(table)) {
    it(`${JSON.stringify(text.slice(0, 20))}: ${want}`, () => {
      const result = parseQuantity(text)
      expect(result.ok ? 'accepted' : result.error).toMatchObject({ code: 'INPUT.INVALID', message: expect.stringContaining(want) })
    })
  }
})

describe('amounts of resources', () => {
  const table: { [name: string]: { resource: string; value: string | number; want: number; prints: string } } = {
    'CPU counts in milli': { resource: 'cpu', value: '1.5', want: 1500, prints: '1500m' },
    'CPU in milli': { resource: 'cpu', value: '250m', want: 250, prints: '250m' },
    'CPU as a number': { resource: 'cpu', value: 2, want: 2000, prints: '2' },
    'CPU as a fraction': { resource: 'cpu', value: 0.5, want: 500, prints: '500m' },
    'CPU below a milli is rounded up': { resource: 'cpu', value: '100u', want: 1, prints: '1m' },
    'CPU in thousands': { resource: 'cpu', value: '2k', want: 2_000_000, prints: '2k' },
    'memory counts in bytes': { resource: 'memory', value: '16Gi', want: 17_179_869_184, prints: '16Gi' },
    'memory in decimal units': { resource: 'memory', value: '1G', want: 1_000_000_000, prints: '1000000000' },
    'memory as a fraction is rounded up': { resource: 'memory', value: '0.1', want: 1, prints: '1' },
    'memory in milli bytes': { resource: 'memory', value: '1500m', want: 2, prints: '2' },
    'huge pages': { resource: 'hugepages-2Mi', value: '4Mi', want: 4_194_304, prints: '4Mi' },
    'a device count': { resource: 'nvidia.com/gpu', value: '2', want: 2, prints: '2' },
    'a negative amount is rounded towards zero': { resource: 'memory', value: '-1500m', want: -1, prints: '-1' },
    'many pods': { resource: 'pods', value: '1k', want: 1000, prints: '1k' },
  }
  for (const [name, { resource, value, want, prints }] of Object.entries(table)) {
    it(name, () => {
      expect(resourceAmount(resource, value)).toEqual({ ok: true, value: want })
      expect(formatAmount(resource, want)).toBe(prints)
    })
  }

  it('one beyond the safe integers is refused', () => {
    expect(resourceAmount('memory', '8Pi')).toMatchObject({ ok: false, error: { code: 'INPUT.INVALID' } })
    expect(resourceAmount('memory', Number.NaN)).toMatchObject({ ok: false })
  })
})

describe('properties', () => {
  const suffixes = {
    n: 10n ** 0n,
    u: 10n ** 3n,
    m: 10n ** 6n,
    '': 10n ** 9n,
    k: 10n ** 12n,
    M: 10n ** 15n,
    G: 10n ** 18n,
    Ki: 1024n * 10n ** 9n,
    Mi: 1024n ** 2n * 10n ** 9n,
    Gi: 1024n ** 3n * 10n ** 9n,
  }
  const suffix = fc.constantFrom(...(Object.keys(suffixes) as (keyof typeof suffixes)[]))
  const whole = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })

  it('a suffix multiplies exactly', () => {
    fc.assert(
      fc.property(whole, suffix, (count, unit) => void expect(parsed(`${count}${unit}`).nanos).toBe(clamp(count * suffixes[unit], unit))),
    )
  })
  it('the canonical form means the same amount and is its own canonical form', () => {
    fc.assert(
      fc.property(whole, suffix, (count, unit) => {
        const quantity = parsed(`${count}${unit}`)
        const text = formatQuantity(quantity)
        expect(parsed(text).nanos).toBe(quantity.nanos)
        expect(formatQuantity(parsed(text))).toBe(text)
      }),
    )
  })
  it('the order of amounts is the order of quantities, and rounding never loses any', () => {
    const text = fc
      .tuple(fc.nat({ max: 10 ** 6 }), fc.nat({ max: 999_999 }), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi'))
      .map(([i, f, s]) => `${i}.${f}${s}`)
    fc.assert(
      fc.property(text, text, fc.constantFrom('cpu', 'memory', 'pods'), (first, second, resource) => {
        const [one, other] = [amount(resource, first), amount(resource, second)]
        if (parsed(first).nanos < parsed(second).nanos) expect(one).toBeLessThanOrEqual(other)
        const unit = resource === 'cpu' ? 10n ** 6n : 10n ** 9n
        expect(BigInt(one) * unit >= parsed(first).nanos && (BigInt(one) - 1n) * unit < parsed(first).nanos).toBe(true)
      }),
    )
  })
  it('the fast path of plain spellings agrees with the exact one', () => {
    const text = fc.tuple(fc.nat(), fc.constantFrom('', 'm', 'Ki', 'Mi', 'Gi', 'Ti')).map(([n, s]) => [`${n}${s}`, `+${n}${s}`] as const)
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('cpu', 'memory', 'pods'),
        ([plain, exact], resource) =>
          void expect(resourceAmount(resource, plain).ok ? amount(resource, plain) : 'refused').toEqual(
            resourceAmount(resource, exact).ok ? amount(resource, exact) : 'refused',
          ),
      ),
    )
  })
  it('an amount survives printing and parsing', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        fc.constantFrom('cpu', 'memory', 'ephemeral-storage', 'pods'),
        (value, resource) => void expect(amount(resource, formatAmount(resource, value))).toBe(value),
      ),
    )
  })
  it('nothing makes the parser throw', () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(typeof parseQuantity(text).ok).toBe('boolean')))
  })
})

function amount(resource: string, text: string): number {
  const result = resourceAmount(resource, text)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

function clamp(nanos: bigint, unit: string): bigint {
  const max = (2n ** 63n - 1n) * 10n ** 9n
  if (!unit.endsWith('i')) return nanos
  return nanos > max ? max : nanos < -max ? -max : nanos
}
