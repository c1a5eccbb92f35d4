import type { Constraint } from '../pods/constraint.ts'
import type { Pins, Wish } from './items.ts'

/** Makes wishes; equal ones are one. */
export function wishMaker(): (constraint: Constraint, pins: Pins) => Wish {
  const known = new Map<string, Wish>()
  return (constraint, pins) => {
    const text = `${constraint.id} ${[...pins].join(' ')}`
    const wish = known.get(text) ?? { constraint, pins, joined: new Map() }
    known.set(text, wish)
    return wish
  }
}
