import { fillInId, rememberId } from '../../src/docs/openapi-common.js';

const EXAMPLE = '0198a5f4-1c2d-7e3f-8a4b-5c6d7e8f9a0b';
const OWN = '019a1b2c-0000-7000-8000-000000000001';

describe('an example id in Swagger UI', () => {
  const urlOf = (path: string) => fillInId({ url: path }).url;

  it('stays as it is until an object of its kind was seen', () => {
    expect(urlOf(`/imports/${EXAMPLE}`)).toBe(`/imports/${EXAMPLE}`);
  });

  it('stands for the last object of its kind', () => {
    rememberId({ url: '/imports', obj: { object: 'import', id: OWN } });
    rememberId({ url: '/scrubs', headers: { 'scrub-id': OWN } });
    rememberId({ url: '/webhooks', obj: { object: 'webhook', id: OWN } });
    rememberId({ url: '/webhooks/x/test', obj: { object: 'webhook_event', id: OWN } });
    expect(urlOf(`/imports/${EXAMPLE}/errors?limit=1`)).toBe(`/imports/${OWN}/errors?limit=1`);
    expect(urlOf(`/scrubs/${EXAMPLE}`)).toBe(`/scrubs/${OWN}`);
    expect(urlOf(`/webhooks/${EXAMPLE}/events/${EXAMPLE}`)).toBe(`/webhooks/${OWN}/events/${OWN}`);
  });

  it('is not replaced if somebody typed another id', () => {
    const other = '019a1b2c-0000-7000-8000-000000000002';
    expect(urlOf(`/imports/${other}`)).toBe(`/imports/${other}`);
  });
});
