// Addresses of the pages of a project.

import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';

export interface Place {
  readonly project: string;
  /** `about`, the plural of a kind, or an entity such as `tasks/<id>`; empty: the project. */
  readonly at?: string;
  readonly search?: Readonly<Record<string, unknown>>;
}

const TO = '/projects/$project/$';

const optionsFor = ({ project, at = '', search = {} }: Place) => ({
  to: TO,
  params: { project, _splat: at },
  search: search as never,
});

interface PlaceLinkProps extends Omit<ComponentProps<'a'>, 'href' | 'children'> {
  readonly place: Place;
  readonly children: ReactNode;
}

export function PlaceLink({ place, ...rest }: PlaceLinkProps) {
  return <Link {...optionsFor(place)} preload={false} {...(rest as object)} />;
}

export function useGo(): (place: Place) => void {
  const navigate = useNavigate();
  return (place) => void navigate(optionsFor(place));
}
