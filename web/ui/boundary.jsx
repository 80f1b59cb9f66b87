// What a view that throws an error leaves in its place.
import { Component } from 'preact'

/** Shows a message in place of a view that throws an error, so that the rest of the page still works. */
export class Boundary extends Component {
  componentDidCatch(error) {
    this.setState({ failed: error.message })
  }

  render({ children }, { failed }) {
    return failed ? <div class="empty" role="alert"><h2>This cannot be shown</h2><p>{failed}</p></div> : children
  }
}
