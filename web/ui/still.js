// Components that are drawn again only if one of their properties has changed.
import { Component, h } from 'preact'

/** Returns such a component. What it draws still follows the signals that it reads. An element that is kept in place of this would keep the whole page as it was when it was made. */
export const still = (Drawn) => class extends Component {
  shouldComponentUpdate(next) {
    return Object.keys({ ...next, ...this.props }).some((name) => next[name] !== this.props[name])
  }
  render(props) {
    return h(Drawn, props)
  }
}
