import { expect, test } from 'vitest';
import { readAudit } from '../../scripts/read-audit.ts';

const report = (vulnerabilities: object, total = 210) =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { dependencies: { prod: 150, total } } });
const found = (severity: string) => ({ name: 'left-pad', severity, range: '<1.3.0' });

test('nothing known', () => {
  expect(readAudit(report({}))).toEqual({ ok: true, lines: ['No grave vulnerability is known of 210 dependencies.'] });
  expect(readAudit(report({ 'left-pad': found('moderate') }))).toEqual({
    ok: true,
    lines: ['No grave vulnerability is known of 210 dependencies; 1 lesser ones: npm audit --omit=dev.'],
  });
});

test.each(['high', 'critical'])('a %s one', (severity) => {
  const audit = readAudit(report({ 'left-pad': found(severity), other: found('low') }));
  expect(audit).toEqual({ ok: false, lines: [`${severity}: left-pad <1.3.0`] });
});

test.each([
  [
    'a registry without such an endpoint',
    '{"message":"405 Method Not Allowed - POST https://registry.example/x","error":{}}',
    '405 Method Not Allowed - POST https://registry.example/x',
  ],
  ['no network', '{"error":{"code":"ENOTFOUND","summary":"request failed\\nmore"}}', 'request failed'],
  ['nothing at all', '', 'npm audit printed no report'],
  ['what is no JSON', 'npm error', 'npm audit printed no report'],
  ['a report about nothing', report({}, 0).replace('"prod":150,', ''), 'npm audit printed no report'],
])('%s is never green', (_, json, why) => {
  expect(readAudit(json)).toEqual({
    ok: false,
    lines: [`Not checked: the registry did not say what is known of our dependencies (${why}).`],
  });
});
