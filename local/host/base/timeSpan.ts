/** Returns the milliseconds of a .NET time span `[d.]hh:mm:ss[.fff]`, or undefined if the text is not a time span. */
export function parseTimeSpan(text: string): number | undefined {
  const match = /^(?:(\d+)\.)?(\d{1,2}):([0-5]?\d):([0-5]?\d)(?:\.(\d{1,7}))?$/.exec(text)
  if (match === null) return undefined
  const [, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = '0'] = match
  if (Number(hours) > 23) return undefined
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return whole * 1000 + Math.round(Number(`0.${fraction}`) * 1000)
}
